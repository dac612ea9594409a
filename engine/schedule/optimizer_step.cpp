// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/passes.h"

namespace shardlab {

Schedule addOptimizerStep(Schedule schedule) {
    for (int stage = 0; stage < schedule.stages(); ++stage)
        schedule.ranks[static_cast<std::size_t>(schedule.rankOfStage[static_cast<std::size_t>(stage)])].push_back(
            {ActionKind::OptimizerStep, stage});
    return schedule;
}

}  // namespace shardlab
