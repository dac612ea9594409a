// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/passes.h"

#include <utility>

namespace shardlab::layout {

namespace {

Schedule addForEachStage(Schedule schedule, ActionKind kind) {
    for (int stage = 0; stage < schedule.stages(); ++stage) schedule.listOf(stage).push_back({kind, stage});
    return schedule;
}

}  // namespace

Schedule addOptimizerStep(Schedule schedule) { return addForEachStage(std::move(schedule), ActionKind::OptimizerStep); }

Schedule addWeightPull(Schedule schedule) { return addForEachStage(std::move(schedule), ActionKind::PullWeights); }

}  // namespace shardlab::layout
