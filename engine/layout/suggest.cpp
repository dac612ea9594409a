// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/suggest.h"

#include "engine/base/divisors.h"
#include "engine/base/parse_text.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace shardlab::layout {
namespace {

constexpr std::size_t longestWord = 64;  ///< what is longer resembles no key of ours

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = std::exchange(last, row);
    }
    return last[b.size()];
}

}  // namespace

std::vector<std::string_view> splitWords(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) words.push_back(takePart(text, ','));
    return words;
}

Sentence alternatives(const std::vector<std::string>& parts) {
    Sentence all;
    for (std::size_t i = 0; i < parts.size(); ++i)
        all = i == 0                  ? Sentence(parts[i])
              : i + 1 == parts.size() ? say("{} or {}", all, parts[i])
                                      : say("{}, {}", all, parts[i]);
    return all;
}

std::string_view nearestWord(std::string_view wrong, const std::vector<std::string_view>& words) {
    if (wrong.empty() || wrong.size() > longestWord) return {};
    std::string_view nearest;
    std::size_t best = std::max<std::size_t>(1, wrong.size() / 2) + 1;
    for (std::string_view word : words) {
        // A word that continues the wrong one, or begins it, is as good as one slip.
        const bool begins = wrong.size() >= 3 && (word.starts_with(wrong) || wrong.starts_with(word));
        const std::size_t distance = begins ? 1 : editDistance(wrong, word);
        if (distance < best) {
            best = distance;
            nearest = word;
        }
    }
    return nearest;
}

Sentence legalWords(std::string_view wrong, const std::vector<std::string_view>& words) {
    const std::string_view nearest = nearestWord(wrong, words);
    Sentence all = alternatives({words.begin(), words.end()});
    return nearest.empty() || words.size() < 2 ? std::move(all) : say("{} (did you mean {}?)", all, nearest);
}

Fault unknownWord(std::string_view pointer, std::string_view word, const std::vector<std::string_view>& words,
                  std::string_view planned, Sentence why) {
    const std::string quoted = "\"" + std::string(word.substr(0, 60)) + "\"";
    const std::vector<std::string_view> known = splitWords(planned);
    if (std::ranges::find(known, word) != known.end())
        return {std::string(pointer), say("{} is not built yet", quoted),
                say("this version knows the method but cannot run it"), alternatives({words.begin(), words.end()})};
    return {std::string(pointer), say("{} is unknown", quoted), std::move(why), legalWords(word, words)};
}

Sentence divisorText(std::int64_t number, std::int64_t near) {
    std::vector<std::int64_t> nearest = divisors(number);
    const auto distance = [&](std::int64_t d) { return std::abs(d - near); };
    std::ranges::sort(nearest, [&](std::int64_t a, std::int64_t b) { return distance(a) < distance(b); });
    if (nearest.size() > 8) nearest.resize(8);
    std::ranges::sort(nearest);
    std::vector<std::string> parts;
    for (std::int64_t d : nearest) parts.push_back(std::to_string(d));
    return alternatives(parts);
}

}  // namespace shardlab::layout
