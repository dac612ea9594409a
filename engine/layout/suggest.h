// SPDX-License-Identifier: Apache-2.0
// Words and numbers that would have been legal, as people read them.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/kind_table.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

/// "gpt,mlp" as its parts.
std::vector<std::string_view> splitWords(std::string_view commaSeparated);
/// "a, b or c".
Sentence alternatives(const std::vector<std::string>& parts);
/// The words of those kinds whose traits hold, as alternatives.
template <class Kind, class Traits>
Sentence wordsWhere(const KindTable<Kind, Traits>& table, const auto& holds) {
    std::vector<std::string> words;
    for (const Traits& traits : table)
        if (std::invoke(holds, traits)) words.emplace_back(traits.word);
    return alternatives(words);
}
/// The words as alternatives; the one nearest to `wrong` is asked for first: "gpt or mlp (did you mean gpt?)".
Sentence legalWords(std::string_view wrong, const std::vector<std::string_view>& words);
/// The fault of a field that holds none of its `words`. One of the `planned` words, which are comma separated, is
/// called not built yet instead of unknown.
Fault unknownWord(std::string_view pointer, std::string_view word, const std::vector<std::string_view>& words,
                  std::string_view planned, Sentence why);
/// The word that `wrong` was likely meant to be, by edit distance; empty where none is near.
std::string_view nearestWord(std::string_view wrong, const std::vector<std::string_view>& words);
/// Divisors of `number` as alternatives; where there are many, the ones nearest to `near`.
Sentence divisorText(std::int64_t number, std::int64_t near);

}  // namespace shardlab::layout
