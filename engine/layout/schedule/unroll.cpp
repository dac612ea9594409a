// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/passes.h"

namespace shardlab::layout {

Schedule withoutMicrobatchesFrom(Schedule schedule, int end) {
    for (auto* lists : {&schedule.fill, &schedule.ranks})
        for (std::vector<Action>& actions : *lists)
            std::erase_if(actions, [&](const Action& action) { return action.microbatch >= end; });
    return schedule;
}

Unrolled unrolled(const Schedule& schedule, int steps) {
    Unrolled run;
    Schedule& whole = run.schedule;
    whole.kind = schedule.kind;
    whole.microbatches = schedule.microbatches * steps;
    whole.rankOfStage = schedule.rankOfStage;
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        std::vector<Action>& actions = whole.ranks.emplace_back();
        const auto append = [&](const std::vector<Action>& list, int step) {
            for (Action action : list) {
                if (action.microbatch >= 0) action.microbatch += step * schedule.microbatches;
                if (action.version >= 0) action.version += step * schedule.updates;
                if (action.microbatch < whole.microbatches) actions.push_back(action);
            }
        };
        append(schedule.fill[rank], 0);
        std::vector<std::size_t>& borders = run.borders.emplace_back();
        for (int step = 0; step < steps; ++step) {
            borders.push_back(actions.size());
            append(schedule.ranks[rank], step);
        }
        borders.push_back(actions.size());
    }
    return run;
}

Action inStep(Action action, const Schedule& schedule, int step) {
    if (action.microbatch >= 0) action.microbatch -= step * schedule.microbatches;
    if (action.version >= 0) action.version -= step * schedule.updates;
    return action;
}

}  // namespace shardlab::layout
