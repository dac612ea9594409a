// SPDX-License-Identifier: Apache-2.0
// A schedule's compute on a common clock of unit slots, transfers free: the order that grids show and passes follow.
#pragma once

#include "engine/layout/schedule/schedule.h"

namespace shardlab {

/// F, I, W and R take 1 slot, B takes 2.
constexpr int slotsOf(ActionKind kind) { return kind == ActionKind::Backward ? 2 : isCompute(kind) ? 1 : 0; }

struct SlotTimes {
    /// begin[rank][i] of the rank's i-th action; actions that take no slot begin where the rank stands.
    std::vector<std::vector<int>> begin;
    /// Per rank the actions that could begin; fewer than all where the rest waits for what never comes.
    std::vector<std::size_t> reached;
    int end = 0;
};

/// Of a schedule that does not flush: its step, all ranks beginning together with what the step before left.
SlotTimes slotTimes(const Schedule& schedule);

}  // namespace shardlab
