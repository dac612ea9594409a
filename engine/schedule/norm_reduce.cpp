// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/passes.h"

namespace shardlab {

Schedule addNormReduce(Schedule schedule) {
    for (int rank = 0; rank < static_cast<int>(schedule.ranks.size()); ++rank) {
        const std::vector<int> stages = schedule.stagesOf(rank);
        if (!stages.empty())
            schedule.ranks[static_cast<std::size_t>(rank)].push_back({ActionKind::ReduceNorm, stages.front()});
    }
    return schedule;
}

}  // namespace shardlab
