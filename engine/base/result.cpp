// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"

namespace shardlab::base {

std::string Error::text() const {
    std::string line = what;
    if (!where.empty()) line += " (" + where + ")";
    if (!why.empty()) line += ": " + why;
    if (!legal.empty()) line += ". " + legal;
    return line;
}

}  // namespace shardlab::base
