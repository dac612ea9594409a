// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"

#include <cstring>

namespace shardlab::base {

Sentence Error::told() const {
    Sentence line = what;
    if (!where.empty()) line = say("{} ({})", line, where);
    if (!why.empty()) line = say("{}: {}", line, why);
    if (!legal.empty()) line = say("{}. {}", line, legal);
    return line;
}

Sentence systemReason(int code) { return termOf(std::strerror(code)); }

}  // namespace shardlab::base
