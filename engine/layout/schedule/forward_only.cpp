// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/passes.h"

#include <utility>

namespace shardlab::layout {

Schedule forwardOnly(const Schedule& compute, int microbatches, const LowerOptions& options) {
    Schedule schedule;
    schedule.kind = compute.kind;
    schedule.forwardOnly = true;
    schedule.microbatches = microbatches;
    schedule.rankOfStage = compute.rankOfStage;
    schedule.ranks.resize(compute.ranks.size());
    for (int microbatch = 0; microbatch < microbatches; ++microbatch)
        for (int stage = 0; stage < schedule.stages(); ++stage)
            schedule.listOf(stage).push_back({ActionKind::Forward, stage, microbatch});
    return addWeightReads(addTransfers(std::move(schedule)), options);
}

}  // namespace shardlab::layout
