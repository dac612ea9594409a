// SPDX-License-Identifier: Apache-2.0
// What is kept of a rank's step beside its times: how long each kind of span took, stage by stage, and the memory of
// each category.
#pragma once

#include "engine/base/memory_category.h"
#include "engine/trace/event/event.h"

#include <cstdint>
#include <vector>

namespace shardlab::trace {

/// Stretches in which a rank neither computes nor waits for a message, between a step's first and last action.
struct IdleTime {
    std::int64_t sum = 0;      ///< nanoseconds
    std::int64_t pending = 0;  ///< stood since the last action: counts once another one comes
    std::int64_t last = -1;    ///< end of what the compute lane did last
    /// Events of the compute lane, ascending; others are passed over.
    void add(const Event& event);
    bool operator==(const IdleTime&) const = default;
};

struct KindTime {
    EventKind kind = EventKind::None;
    int stage = -1;  ///< of the action; -1: of none
    std::int64_t count = 0;
    std::int64_t nanoseconds = 0;  ///< all of them; what overlaps counts as often
    std::int64_t bytes = 0;
    bool operator==(const KindTime&) const = default;
};

struct RankDetail {
    MemoryBytes memory{};  ///< each category at its own peak
    IdleTime standing;
    std::vector<KindTime> kinds;  ///< spans but that of the step itself; ascending by kind and stage
    /// One that countsIn() (summary.h).
    void add(const Event& event);
    bool operator==(const RankDetail&) const = default;
};

}  // namespace shardlab::trace
