// SPDX-License-Identifier: Apache-2.0
// What an import's reader makes of one thing in another program's trace.
#pragma once

#include "engine/trace/event/event.h"

#include <cstdint>

namespace shardlab::trace {

inline constexpr int mostMicrobatches = (1 << 24) - 2;  ///< that an event's action can name

/// `event.rank` and `event.step` are not yet known where it is read.
struct ForeignEvent {
    Event event;
    std::uint32_t process = 0;  ///< number that ForeignTrace::process gave
    std::uint32_t thread = 0;   ///< within it; spans of one thread nest
    /// The number of the call that asked a device to do this (ForeignTrace::addLaunch). 0: none is known.
    std::uint32_t launch = 0;
    /// What an operation becomes on the compute lane, if it lies in no other one of its thread and the process has no
    /// device. None: it stays on the host lane.
    EventKind outermost = EventKind::None;
    bool predicted = false;
    bool acts = false;         ///< it is an action: what the process does meanwhile is part of it, and on the host lane
    bool stageOfRank = false;  ///< the action's stage is that of its rank, which is not known where it is read
    bool counted = false;      ///< its microbatch is how many of its kind the rank did in the step before it
};

/// The order of a run's lanes: by begin; of two that begin together the longer, which holds the other, is first, and of
/// two equal ones the action.
constexpr bool earlier(const ForeignEvent& a, const ForeignEvent& b) {
    if (a.event.begin != b.event.begin) return a.event.begin < b.event.begin;
    return a.event.end != b.event.end ? a.event.end > b.event.end : a.acts && !b.acts;
}

}  // namespace shardlab::trace
