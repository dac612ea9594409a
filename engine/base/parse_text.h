// SPDX-License-Identifier: Apache-2.0
// What readers of small texts share: numbers, words, parts between separators, and blanks that say nothing.
#pragma once

#include "engine/base/wings.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace shardlab::base {

inline constexpr std::string_view blanks = " \t\r";

/// The number that the whole of `text` is; none where anything else stands in it, a plus too, or the type cannot hold
/// it.
template <class Number>
std::optional<Number> parseNumber(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// Without the blanks at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view blank = blanks) {
    text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
    return text.substr(0, text.find_last_not_of(blank) + 1);
}

/// Removes the part of `text` before the next `separator`, and the separator, and returns that part; all of the text
/// where it has no separator.
inline std::string_view takePart(std::string_view& text, char separator) {
    const std::size_t length = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return part;
}

/// What stands between blanks.
inline std::vector<std::string_view> wordsIn(std::string_view text, std::string_view blank = blanks) {
    std::vector<std::string_view> words;
    for (text = trimmed(text, blank); !text.empty(); text = trimmed(text, blank)) {
        const std::size_t length = std::min(text.find_first_of(blank), text.size());
        words.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return words;
}

}  // namespace shardlab::base
