// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/passes.h"

namespace shardlab::layout {
namespace {

/// The actions of update `number` in a stage's step.
std::vector<Action> updateOf(int stage, int versions, int number, bool reduces) {
    const int current = versions - 1 + number;
    std::vector<Action> actions;
    if (reduces) actions.push_back({ActionKind::ReduceGradients, stage, -1, current + 1});
    // A stage with one version updates its weights in place.
    if (versions > 1) {
        actions.push_back({ActionKind::FreeWeights, stage, -1, number});
        actions.push_back({ActionKind::StashWeights, stage, -1, current});
    }
    actions.push_back({ActionKind::OptimizerStep, stage, -1, current + 1});
    return actions;
}

}  // namespace

Schedule addVersionedUpdates(Schedule schedule, bool dataParallel, bool buckets) {
    const int backwardsEach = schedule.microbatches / schedule.updates;
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        for (const int stage : schedule.stagesOf(static_cast<int>(rank))) {
            const int versions = schedule.versions[static_cast<std::size_t>(stage)];
            std::vector<Action> initial;
            for (int version = 0; version + 1 < versions; ++version)
                initial.push_back({ActionKind::StashWeights, stage, -1, version});
            std::vector<Action>& fill = schedule.fill[rank];
            fill.insert(fill.begin(), initial.begin(), initial.end());

            std::vector<Action> merged;
            int backwards = 0;
            bool due = false;
            const auto update = [&] {
                const std::vector<Action> actions =
                    updateOf(stage, versions, backwards / backwardsEach - 1, dataParallel && !buckets);
                merged.insert(merged.end(), actions.begin(), actions.end());
                due = false;
            };
            for (const Action& action : schedule.ranks[rank]) {
                // Messages beside the backward go first: the rank below waits for its gradient.
                if (due && !isMessage(action.kind)) update();
                const bool ends = action.stage == stage && endsMicrobatch(action.kind);
                if (ends) due = ++backwards % backwardsEach == 0;
                if (ends && due && dataParallel && buckets)
                    merged.push_back({ActionKind::ReduceBuckets, stage, action.microbatch});
                merged.push_back(action);
            }
            if (due) update();
            schedule.ranks[rank] = std::move(merged);
        }
    }
    return schedule;
}

}  // namespace shardlab::layout
