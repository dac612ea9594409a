// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/instants.h"

#include <algorithm>

namespace shardlab::ui {

namespace {}  // namespace

void mergeTail(std::vector<Event>& events, std::size_t sorted) {
    const auto middle = events.begin() + static_cast<std::ptrdiff_t>(sorted);
    if (middle == events.end()) return;
    std::stable_sort(middle, events.end(), byBegin);
    if (sorted == 0 || (middle - 1)->begin <= middle->begin) return;
    std::inplace_merge(std::upper_bound(events.begin(), middle, *middle, byBegin), middle, events.end(), byBegin);
}

void Instants::begin(int ranks) {
    byKind_ = {};
    overflows_.assign(static_cast<std::size_t>(ranks), {});
}

void Instants::add(std::span<const Event> events) {
    std::array<std::size_t, kinds.size()> sorted{};
    for (std::size_t i = 0; i < kinds.size(); ++i) sorted[i] = byKind_[i].size();
    std::vector<std::size_t> sortedOverflows;
    for (const Event& event : events) {
        const auto kind = std::ranges::find(kinds, event.kind);
        if (kind == kinds.end()) continue;
        byKind_[static_cast<std::size_t>(kind - kinds.begin())].push_back(event);
        const auto rank = static_cast<std::size_t>(event.rank);
        if (event.kind != EventKind::Overflow || event.rank < 0 || rank >= overflows_.size()) continue;
        if (sortedOverflows.empty())
            for (const std::vector<Event>& known : overflows_) sortedOverflows.push_back(known.size());
        overflows_[rank].push_back(event);
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) mergeTail(byKind_[i], sorted[i]);
    for (std::size_t rank = 0; rank < sortedOverflows.size(); ++rank)
        mergeTail(overflows_[rank], sortedOverflows[rank]);
}

void Instants::eraseOverflows(const std::function<bool(const Event&)>& gone) {
    const auto kind = std::ranges::find(kinds, EventKind::Overflow) - kinds.begin();
    std::erase_if(byKind_[static_cast<std::size_t>(kind)], gone);
    for (std::vector<Event>& ofRank : overflows_) std::erase_if(ofRank, gone);
}

const std::vector<Event>& Instants::of(EventKind kind) const {
    static const std::vector<Event> none;
    const auto known = std::ranges::find(kinds, kind);
    return known == kinds.end() ? none : byKind_[static_cast<std::size_t>(known - kinds.begin())];
}

}  // namespace shardlab::ui
