// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"

#include "engine/base/visible_text.h"

#include <cstring>

namespace shardlab::base {

Sentence Error::told() const {
    Sentence line = what;
    // The name of a file may hold line feeds, and behind them what looks like a message of its own.
    const bool lines = where.english().find_first_of("\n\t") != std::string::npos;
    if (!where.empty()) line = say("{} ({})", line, lines ? Sentence(visible(where.english(), Lines::Visible)) : where);
    if (!why.empty()) line = say("{}: {}", line, why);
    if (!legal.empty()) line = say("{}. {}", line, legal);
    return line;
}

Sentence systemReason(int code) { return termOf(std::strerror(code)); }

}  // namespace shardlab::base
