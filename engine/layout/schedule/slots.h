// SPDX-License-Identifier: Apache-2.0
// The compute actions of a schedule on a common clock of unit slots, on which transfers take no time. Grids show this
// order, and passes follow it.
#pragma once

#include "engine/layout/schedule/schedule.h"

namespace shardlab::layout {

/// F, I, W and R take 1 slot, B takes 2.
constexpr int slotsOf(ActionKind kind) { return kind == ActionKind::Backward ? 2 : isCompute(kind) ? 1 : 0; }

struct SlotTimes {
    /// [rank][i]: when the rank's i-th action begins. An action that takes no slot begins when the one before it ends.
    std::vector<std::vector<int>> begin;
    /// By rank: how many actions could begin; fewer than all where the rest waits for what never comes.
    std::vector<std::size_t> reached;
    int end = 0;
};

/// The slots of a step. In a schedule without a flush all ranks begin it together, with what the step before left.
SlotTimes slotTimes(const Schedule& schedule);

}  // namespace shardlab::layout
