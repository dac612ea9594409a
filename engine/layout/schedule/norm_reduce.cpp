// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/passes.h"

#include <utility>

namespace shardlab::layout {

namespace {

/// The schedule with an action of that kind on each rank, which names the rank's first stage.
Schedule addForEachRank(Schedule schedule, ActionKind kind) {
    for (int rank = 0; rank < static_cast<int>(schedule.ranks.size()); ++rank) {
        const std::vector<int> stages = schedule.stagesOf(rank);
        if (!stages.empty()) schedule.ranks[static_cast<std::size_t>(rank)].push_back({kind, stages.front()});
    }
    return schedule;
}

}  // namespace

Schedule addNormReduce(Schedule schedule) { return addForEachRank(std::move(schedule), ActionKind::ReduceNorm); }

Schedule addElasticExchange(Schedule schedule) {
    return addForEachRank(std::move(schedule), ActionKind::ExchangeElastic);
}

}  // namespace shardlab::layout
