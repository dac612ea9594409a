// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/passes.h"

namespace shardlab {

Schedule addTiedReduce(Schedule schedule) {
    if (schedule.rankOfStage.empty() || schedule.rankOfStage.front() == schedule.rankOfStage.back()) return schedule;
    for (int stage : {0, schedule.stages() - 1}) {
        const auto rank = static_cast<std::size_t>(schedule.rankOfStage[static_cast<std::size_t>(stage)]);
        schedule.ranks[rank].push_back({ActionKind::ReduceTied, stage});
    }
    return schedule;
}

}  // namespace shardlab
