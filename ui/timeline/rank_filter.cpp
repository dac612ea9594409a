// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/rank_filter.h"

#include "engine/layout/mesh/mesh.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace shardlab::ui {

namespace {

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> result;
    while (true) {
        const std::size_t begin = text.find_first_not_of(" ,\t");
        if (begin == std::string_view::npos) return result;
        const std::size_t end = std::min(text.find_first_of(" ,\t", begin), text.size());
        result.push_back(text.substr(begin, end - begin));
        text.remove_prefix(end);
    }
}

struct NumberRange {
    int first;
    int last;
};

/// "8", "0-3", "4-" (to the last).
std::optional<NumberRange> numberRange(std::string_view word) {
    NumberRange range{};
    const char* const end = word.data() + word.size();
    auto [after, error] = std::from_chars(word.data(), end, range.first);
    if (error != std::errc{}) return {};
    range.last = range.first;
    if (after == end) return range;
    if (*after != '-') return {};
    if (++after == end) return NumberRange{range.first, 1 << 30};
    const auto [tail, lastError] = std::from_chars(after, end, range.last);
    if (lastError != std::errc{} || tail != end) return {};
    return range;
}

bool hasWord(std::string_view label, std::string_view word) {
    for (const std::string_view own : words(label)) {
        if (own == word) return true;
    }
    return false;
}

}  // namespace

std::vector<int> filterRanks(const RunModel& model, std::string_view filter) {
    std::vector<NumberRange> numbers;
    std::vector<std::string_view> labels;
    for (const std::string_view word : words(filter)) {
        if (const auto range = numberRange(word)) numbers.push_back(*range);
        else labels.push_back(word);
    }
    std::vector<int> ranks;
    for (int rank = 0; rank < model.ranks(); ++rank) {
        bool shown = numbers.empty();
        for (const NumberRange& range : numbers) shown = shown || (rank >= range.first && rank <= range.last);
        for (const std::string_view word : labels) shown = shown && hasWord(placeOf(model, rank), word);
        if (shown) ranks.push_back(rank);
    }
    return ranks;
}

std::vector<int> orderRanks(const RunModel& model, std::vector<int> ranks, const Selection& selection) {
    if (model.empty()) return ranks;
    if (selection.grouping()) {
        const Mesh mesh(model.header().layout);
        std::ranges::stable_sort(ranks, {}, [&](int rank) { return mesh.coordinate(rank, *selection.grouping()); });
    }
    const auto& pinned = selection.pinned();
    std::ranges::stable_sort(ranks, {}, [&](int rank) { return std::ranges::find(pinned, rank) - pinned.begin(); });
    return ranks;
}

int pinnedAmong(const std::vector<int>& ranks, const Selection& selection) {
    const auto isPinned = [&](int rank) {
        return std::ranges::find(selection.pinned(), rank) != selection.pinned().end();
    };
    return static_cast<int>(std::ranges::count_if(ranks, isPinned));
}

}  // namespace shardlab::ui
