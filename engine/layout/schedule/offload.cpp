// SPDX-License-Identifier: Apache-2.0
// ZeRO-Offload (arXiv 2101.06840): gradients go to the host, where the optimizer is, and updated weights come back.
#include "engine/layout/schedule/passes.h"

#include <algorithm>
#include <utility>

namespace shardlab::layout {

namespace {

/// Where the stage's gradients are what it is updated with: after its own last action, and where first and last stage
/// sum the embedding they share, after that.
std::size_t afterGradients(const std::vector<Action>& actions, int stage, bool sharesEmbedding) {
    const auto ends = [&](const Action& action) {
        return action.stage == stage || (sharesEmbedding && action.kind == ActionKind::ReduceTied);
    };
    const auto last = std::find_if(actions.rbegin(), actions.rend(), ends);
    return static_cast<std::size_t>(last.base() - actions.begin());
}

}  // namespace

Schedule addGradientOffload(Schedule schedule) {
    for (int rank = 0; rank < static_cast<int>(schedule.ranks.size()); ++rank) {
        std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        for (const int stage : schedule.stagesOf(rank)) {
            const bool atAnEnd = stage == 0 || stage + 1 == schedule.stages();
            const auto place = static_cast<std::ptrdiff_t>(afterGradients(actions, stage, atAnEnd));
            actions.insert(actions.begin() + place, {ActionKind::OffloadGradients, stage});
        }
    }
    return schedule;
}

Schedule addWeightReload(Schedule schedule) {
    for (auto& actions : schedule.ranks) {
        std::vector<Action> lowered;
        for (const Action& action : actions) {
            lowered.push_back(action);
            if (action.kind == ActionKind::OptimizerStep) lowered.push_back({ActionKind::ReloadWeights, action.stage});
        }
        actions = std::move(lowered);
    }
    return schedule;
}

}  // namespace shardlab::layout
