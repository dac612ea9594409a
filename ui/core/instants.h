// SPDX-License-Identifier: GPL-3.0-or-later
// A run's instants, each kind apart and ascending: what is drawn of them is found by halving, not by walking all.
#pragma once

#include "engine/trace/event/event.h"

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace shardlab::ui {

/// The order of instants and of spans on the time axis.
inline bool byBegin(const Event& a, const Event& b) { return a.begin < b.begin; }

class Instants {
public:
    static constexpr std::array kinds{EventKind::Command, EventKind::Fault, EventKind::Overflow,     EventKind::Dropped,
                                      EventKind::Restart, EventKind::Mark,  EventKind::InjectedFault};

    /// Forgets all; overflows are kept for so many ranks.
    void begin(int ranks);
    /// Adds events in any order; where they come in ascending order this takes O(1) amortised for each event. Events of
    /// other kinds are left out.
    void add(std::span<const Event> events);
    void eraseOverflows(const std::function<bool(const Event&)>& gone);

    /// The events of a kind, ascending by begin; empty for kinds that are no instants.
    const std::vector<Event>& of(EventKind kind) const;
    /// The overflows of one rank, ascending by begin.
    const std::vector<Event>& overflows(int rank) const { return overflows_.at(static_cast<std::size_t>(rank)); }

private:
    std::array<std::vector<Event>, kinds.size()> byKind_;
    std::vector<std::vector<Event>> overflows_;  ///< by rank
};

/// Sorts what was appended to `events` from `sorted` on into the ascending part before it.
void mergeTail(std::vector<Event>& events, std::size_t sorted);

}  // namespace shardlab::ui
