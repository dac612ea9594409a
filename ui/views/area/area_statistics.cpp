// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/area/area_statistics.h"

#include <algorithm>
#include <numeric>

namespace shardlab::ui {
namespace {

AreaFigures figuresOf(std::vector<std::int64_t> parts) {
    AreaFigures figures;
    if (parts.empty()) return figures;
    figures.count = static_cast<std::int64_t>(parts.size());
    figures.total = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
    figures.mean = static_cast<double>(figures.total) / static_cast<double>(parts.size());
    figures.largest = *std::ranges::max_element(parts);
    const std::size_t place = (parts.size() * 95 + 99) / 100 - 1;
    std::ranges::nth_element(parts, parts.begin() + static_cast<std::ptrdiff_t>(place));
    figures.p95 = parts[place];
    return figures;
}

/// Made of other spans, which are counted themselves.
bool encloses(EventKind kind) {
    return kind == EventKind::Step || kind == EventKind::Validation || kind == EventKind::Annotation;
}

/// Within a span that is counted, or within one of its own kind: the sum over kinds would have that time twice.
bool liesWithin(EventKind kind) {
    return kind == EventKind::Recompute || kind == EventKind::RingHop || isInsideAction(kind) ||
           kind == EventKind::Operation;
}

}  // namespace

void AreaStatistics::begin(TimeRange area, std::vector<int> ranks) {
    area_ = area;
    ranks_ = std::move(ranks);
    parts_.clear();
}

void AreaStatistics::add(const Event& event) {
    if (!isSpan(event.kind) || encloses(event.kind) || event.end <= area_.begin || event.begin >= area_.end) return;
    if (!ranks_.empty() && std::ranges::find(ranks_, event.rank) == ranks_.end()) return;
    parts_[{event.rank, event.kind}].push_back(std::min(event.end, area_.end) - std::max(event.begin, area_.begin));
}

std::map<AreaStatistics::Key, AreaFigures> AreaStatistics::figures() const {
    std::map<Key, std::vector<std::int64_t>> sums;
    for (const auto& [key, parts] : parts_)
        for (const Key& sum : {Key{-1, EventKind::None}, Key{-1, key.second}, Key{key.first, EventKind::None}, key})
            if (sum.second != EventKind::None || !liesWithin(key.second))
                sums[sum].insert(sums[sum].end(), parts.begin(), parts.end());
    std::map<Key, AreaFigures> all;
    for (auto& [key, parts] : sums) all[key] = figuresOf(std::move(parts));
    return all;
}

}  // namespace shardlab::ui
