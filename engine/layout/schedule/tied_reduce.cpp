// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/passes.h"

namespace shardlab::layout {

Schedule addTiedReduce(Schedule schedule) {
    if (schedule.stages() < 2) return schedule;
    int stage = 0;
    for (int rank : schedule.endRanks()) {
        schedule.ranks[static_cast<std::size_t>(rank)].push_back({ActionKind::ReduceTied, stage});
        stage = schedule.stages() - 1;
    }
    return schedule;
}

}  // namespace shardlab::layout
