// SPDX-License-Identifier: Apache-2.0
#include "engine/base/sentence.h"

#include <fmt/format.h>

namespace shardlab::base {
namespace {

/// The pattern with what `fill` has for each of its places: it is given the number of the argument and the format with
/// its colon, ":.2f".
std::string filled(std::string_view pattern, const auto& fill) {
    std::string text;
    for (std::size_t at = 0, next = 0; at < pattern.size(); ++at) {
        const char c = pattern[at];
        const bool twice = pattern.substr(at + 1).starts_with(c);
        const std::size_t end = pattern.find('}', at);
        if (c != '{' || twice || end == pattern.npos) {
            text += c;
            if ((c == '{' || c == '}') && twice) ++at;
            continue;
        }
        std::string_view place = pattern.substr(at + 1, end - at - 1);
        std::size_t number = next++;
        if (!place.empty() && place.front() >= '0' && place.front() <= '9') {
            number = static_cast<std::size_t>(place.front() - '0');
            place.remove_prefix(1);
        }
        text += fill(number, place);
        at = end;
    }
    return text;
}

}  // namespace

Sentence::Sentence(std::string_view pattern, fmt::format_args arguments, std::initializer_list<const Sentence*> parts)
    : english_(fmt::vformat({pattern.data(), pattern.size()}, arguments)), pattern_(pattern), arguments_(parts.size()) {
    filled(pattern, [&](std::size_t number, std::string_view format) {
        const Sentence* part = parts.begin()[number];
        arguments_[number] =
            part != nullptr ? *part : Sentence(fmt::vformat(fmt::format("{{{}{}}}", number, format), arguments));
        return std::string_view();
    });
}

std::string Sentence::told(const std::function<std::string(std::string_view)>& translate) const {
    if (pattern_.empty()) return english_;
    return filled(translate(pattern_), [&](std::size_t number, std::string_view) {
        return number < arguments_.size() ? arguments_[number].told(translate) : std::string();
    });
}

Sentence termOf(std::string_view word) {
    Sentence sentence(word);
    sentence.pattern_ = word;
    return sentence;
}

}  // namespace shardlab::base
