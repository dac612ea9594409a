// SPDX-License-Identifier: Apache-2.0
// What the engine says with figures in it, so that it can be said in another language too.
#pragma once

#include "engine/base/wings.h"

#include <concepts>
#include <cstddef>
#include <fmt/format.h>  // its own formatter calls what core.h only declares
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::base {

/// An English text that remembers what it was made of: a pattern with places, "{} heads do not divide {}", and what
/// stands in them. A text without a pattern is a name or a number, the same in all languages.
class Sentence {
public:
    Sentence() = default;
    /// A name or a number.
    template <std::convertible_to<std::string_view> Text>
    Sentence(const Text& text) : english_(std::string_view(text)) {}
    /// By say(). Of `parts`, one an argument, those that are sentences are told, and null stands for all others.
    Sentence(std::string_view pattern, fmt::format_args arguments, std::initializer_list<const Sentence*> parts);

    bool empty() const { return english_.empty(); }
    const std::string& english() const { return english_; }
    /// The text in the language that `translate` brings patterns into. A translation has the same places, in the order
    /// of the arguments or with their numbers from 0 in it: "{1} … {0}"; how an argument is formatted the English
    /// pattern says.
    std::string told(const std::function<std::string(std::string_view)>& translate) const;
    /// Both say the same in English, whatever they were made of: a literal is compared by what it says.
    bool operator==(const Sentence& other) const { return english_ == other.english_; }

private:
    friend Sentence termOf(std::string_view word);

    std::string english_, pattern_;
    std::vector<Sentence> arguments_;
};

/// The sentence in which a sentence stands as an argument keeps it as one.
constexpr const Sentence* partOf(const Sentence& argument) { return &argument; }
constexpr const Sentence* partOf(const auto&) { return nullptr; }

/// A sentence of a pattern of fmt, which is a literal right behind "say(": translations_test finds it there.
template <class... Arguments>
Sentence say(fmt::format_string<Arguments...> pattern, Arguments&&... arguments) {
    const fmt::string_view text = pattern;
    return {{text.data(), text.size()}, fmt::make_format_args(arguments...), {partOf(arguments)...}};
}
/// A word of a table that translations_test knows (tests/ui/table_words.h), or a phrase().
Sentence termOf(std::string_view word);
/// The literal of a sentence without places that is made only where it is told, by termOf(); translations_test finds it
/// as it finds those of say().
constexpr std::string_view phrase(std::string_view text) { return text; }

}  // namespace shardlab::base

template <>
struct fmt::formatter<shardlab::base::Sentence> : fmt::formatter<fmt::string_view> {
    auto format(const shardlab::base::Sentence& sentence, auto& context) const {
        return fmt::formatter<fmt::string_view>::format(sentence.english(), context);
    }
};
