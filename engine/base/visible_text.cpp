// SPDX-License-Identifier: Apache-2.0
#include "engine/base/visible_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::base {
namespace {

struct Character {
    char32_t code = 0;
    std::size_t bytes = 0;  ///< 0: the text does not go on with a character of UTF-8
};

/// The first of `text`, which is not empty. Overlong forms, surrogates and what is cut off are none.
Character firstOf(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
    char32_t code = lead & (0x7Fu >> bytes);
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte(at) & 0xC0) != 0x80) return {};
        code = code << 6 | (byte(at) & 0x3Fu);
    }
    constexpr char32_t least[]{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < least[bytes] || code > 0x10FFFF || surrogate ? Character{} : Character{code, bytes};
}

bool isControl(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

bool changesLinesOrDirection(char32_t code) {
    return code == 0x61C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string visible(std::string_view text, Lines lines) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const Character character = firstOf(text);
        const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
        const bool kept = lines == Lines::Kept && (character.code == '\n' || character.code == '\t');
        if (character.bytes == 0) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
        else if (!kept && (isControl(character.code) || changesLinesOrDirection(character.code)))
            shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character.code));
        else shown += text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return shown;
}

std::string quoted(std::string_view text, std::size_t most) {
    std::string shown;
    for (std::string_view left = text; !left.empty();) {
        const Character character = firstOf(left);
        if (character.bytes == 0 || isControl(character.code) || changesLinesOrDirection(character.code))
            return fmt::format("{} bytes that are no text", text.size());
        if (shown.size() + character.bytes > most) return fmt::format("\"{} …\"", shown);
        shown += left.substr(0, character.bytes);
        left.remove_prefix(character.bytes);
    }
    return fmt::format("\"{}\"", shown);
}

std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return std::string(text.substr(0, end)) + "…";
}

}  // namespace shardlab::base
