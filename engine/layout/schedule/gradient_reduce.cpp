// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/passes.h"

#include <algorithm>
#include <utility>

namespace shardlab::layout {

namespace {

/// The schedule with an action of that kind for each stage, after all that the stage does for microbatches.
Schedule addAtStageEnds(Schedule schedule, ActionKind kind) {
    for (int rank = 0; rank < static_cast<int>(schedule.ranks.size()); ++rank) {
        std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        for (int stage : schedule.stagesOf(rank)) {
            // A send that follows the last backward goes first: the rank below waits for it.
            const auto last =
                std::find_if(actions.rbegin(), actions.rend(), [&](const Action& a) { return a.stage == stage; });
            actions.insert(last.base(), {kind, stage});
        }
    }
    return schedule;
}

}  // namespace

Schedule addGradientReduce(Schedule schedule) {
    return addAtStageEnds(std::move(schedule), ActionKind::ReduceGradients);
}

Schedule addGradientPush(Schedule schedule) { return addAtStageEnds(std::move(schedule), ActionKind::PushGradients); }

}  // namespace shardlab::layout
