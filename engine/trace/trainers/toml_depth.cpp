// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/toml_depth.h"

#include <algorithm>
#include <string>

namespace shardlab::trace {
namespace {

/// Where the text in quotes ends that begins at `begin`, past its last quote. Only three quotes reach over lines, and
/// up to two more may stand before the three that end it.
std::size_t quotedEnd(std::string_view text, std::size_t begin) {
    const char quote = text[begin];
    const std::string_view three = text.substr(begin, 3);
    const bool lines = three == std::string(3, quote);
    if (!lines && three.starts_with(std::string(2, quote))) return begin + 2;
    for (std::size_t at = begin + (lines ? 3 : 1); at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"') ++at;
        else if (text[at] == '\n' && !lines) return at;
        else if (text[at] == quote && (!lines || text.substr(at, 3) == three))
            return lines ? std::min(text.find_first_not_of(quote, at), at + 5) : at + 1;
    }
    return text.size();
}

}  // namespace

bool nestsTooDeep(std::string_view text) {
    int dots = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char each = text[at];
        if (each == '.' && ++dots > 32) return true;
        if (std::string_view(",[]{}=\n").find(each) != std::string_view::npos) dots = 0;
        if (each == '#') at = std::min(text.find('\n', at), text.size());
        else if (each == '"' || each == '\'') at = quotedEnd(text, at);
        else ++at;
    }
    return false;
}

}  // namespace shardlab::trace
