// SPDX-License-Identifier: Apache-2.0
#include "engine/base/library_words.h"

#include <optional>
#include <string>

namespace shardlab::base {
namespace {

constexpr std::size_t longestQuoted = 200;

/// What stands behind `words`, up to `end` or the end of the message.
std::optional<std::string_view> behind(std::string_view message, std::string_view words, std::string_view end) {
    const std::size_t at = message.find(words);
    if (at == message.npos) return std::nullopt;
    message.remove_prefix(at + words.size());
    return message.substr(0, message.find(end));
}

bool has(std::string_view message, std::string_view words) { return message.find(words) != message.npos; }

/// Without the exception's name and number, the place, and what stands there instead, which may be a file of any kind.
std::string_view reasonIn(std::string_view message) {
    const std::string_view mark = message.starts_with("[json.exception.parse_error") ? ": " : "] ";
    if (const std::size_t at = message.find(mark); message.starts_with('[') && at != message.npos)
        message.remove_prefix(at + mark.size());
    return message.substr(0, message.find("; last read: "));
}

}  // namespace

Sentence jsonReason(std::string_view message) {
    message = reasonIn(message);
    if (has(message, "unexpected end of input") || has(message, "missing closing quote") || has(message, "empty input"))
        return say("the text ends before the value does");
    if (const auto token = behind(message, "unexpected ", "; expected")) return say("unexpected {}", *token);
    if (has(message, "ill-formed UTF-8") || has(message, "invalid BOM")) return say("its text is not UTF-8");
    if (has(message, "control character")) return say("a text has a control character in it that is not escaped");
    if (has(message, "invalid literal")) return say("no value begins with the character there");
    if (has(message, "invalid number")) return say("a number is not written as JSON has it");
    if (has(message, "invalid string")) return say("a text is not written as JSON has it");
    if (const auto key = behind(message, "key ", " not found")) return say("it has no {}", *key);
    if (const auto type = behind(message, "but is ", "; ")) return say("a value has the wrong type: {}", *type);
    return saidByLibrary("nlohmann/json", message);
}

Sentence saidByLibrary(std::string_view library, std::string_view message) {
    const bool whole = message.size() <= longestQuoted;
    const std::string quoted(message.substr(0, longestQuoted));
    return whole ? say("{} says “{}”", library, quoted) : say("{} says “{} …”", library, quoted);
}

}  // namespace shardlab::base
