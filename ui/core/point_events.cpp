// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/point_events.h"

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr auto slotsOfKinds = [] {
    std::array<std::size_t, 256> slots{};  // by kind, its place among PointEvents::kinds; behind them all: not kept
    slots.fill(PointEvents::kinds.size());
    for (std::size_t i = 0; i < PointEvents::kinds.size(); ++i)
        slots[static_cast<std::size_t>(PointEvents::kinds[i])] = i;
    return slots;
}();

constexpr std::size_t slotOf(EventKind kind) { return slotsOfKinds[static_cast<std::size_t>(kind)]; }

/// Instants tell what happened, even in steps that were done again; an overflow is a figure of its step.
bool isFigure(EventKind kind) { return isCounter(kind) || kind == EventKind::Overflow; }

/// Sorts what was appended to `events` from `sorted` on into the ascending part before it.
void mergeTail(std::vector<Event>& events, std::size_t sorted) {
    const auto middle = events.begin() + static_cast<std::ptrdiff_t>(sorted);
    if (middle == events.end()) return;
    std::stable_sort(middle, events.end(), byBegin);
    if (sorted == 0 || (middle - 1)->begin <= middle->begin) return;
    std::inplace_merge(std::upper_bound(events.begin(), middle, *middle, byBegin), middle, events.end(), byBegin);
}

}  // namespace

bool PointEvents::keeps(EventKind kind) { return slotOf(kind) < kinds.size() || Counters::keeps(kind); }

void PointEvents::add(std::span<const Event> events, const Restarts& restarts) {
    std::array<std::size_t, kinds.size()> sorted{};
    for (std::size_t i = 0; i < kinds.size(); ++i) sorted[i] = byKind_[i].size();
    std::vector<std::size_t> sortedOverflows;
    for (const Event& event : events) {
        const std::size_t slot = slotOf(event.kind), rank = static_cast<std::size_t>(event.rank);
        if (!keeps(event.kind) || (rank >= overflows_.size() && !isRestart(event))) continue;
        if (isFigure(event.kind) && restarts.superseded(event)) continue;
        if (Counters::keeps(event.kind)) counters_.add(event);
        if (slot == kinds.size()) continue;
        byKind_[slot].push_back(event);
        if (event.kind != EventKind::Overflow) continue;
        if (sortedOverflows.empty())
            for (const std::vector<Event>& known : overflows_) sortedOverflows.push_back(known.size());
        overflows_[rank].push_back(event);
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) mergeTail(byKind_[i], sorted[i]);
    for (std::size_t rank = 0; rank < sortedOverflows.size(); ++rank)
        mergeTail(overflows_[rank], sortedOverflows[rank]);
}

void PointEvents::drop(const Restarts& restarts) {
    const auto gone = [&](const Event& event) { return isFigure(event.kind) && restarts.superseded(event); };
    for (std::vector<Event>& ofKind : byKind_) std::erase_if(ofKind, gone);
    for (std::vector<Event>& ofRank : overflows_) std::erase_if(ofRank, gone);
    counters_.drop(restarts);
}

void PointEvents::leaveOut(const GoneSteps& gone, std::size_t many) {
    for (std::size_t i = instants.size(); i < kinds.size(); ++i) gone.leaveOut(byKind_[i], &Event::begin, many);
    counters_.leaveOut(gone, many);
}

const std::vector<Event>& PointEvents::of(EventKind kind) const {
    static const std::vector<Event> none;
    const std::size_t slot = slotOf(kind);
    return slot < kinds.size() ? byKind_[slot] : none;
}

}  // namespace shardlab::ui
