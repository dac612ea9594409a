// SPDX-License-Identifier: Apache-2.0
#include "engine/base/fields.h"

namespace shardlab::base {

void FieldReader::refuse(const char* field, const std::string& why, const std::string& legal) {
    if (!error_) error_ = Error{std::string("damaged ") + frame_, field, why, legal};
}

std::optional<Error> FieldReader::error() {
    if (in_.left() > 0) refuse("its end", std::to_string(in_.left()) + " bytes follow its last field", "");
    return std::move(error_);
}

}  // namespace shardlab::base
