// SPDX-License-Identifier: Apache-2.0
// Passes for exchanges over the data axis that run beside compute: each stands before the compute action that it runs
// beside.
#include "engine/layout/schedule/passes.h"

#include <algorithm>
#include <optional>

namespace shardlab::layout {
namespace {

/// `before(action)`: what is announced right before it.
template <class Before>
void announce(std::vector<Action>& actions, Before before) {
    std::vector<Action> lowered;
    lowered.reserve(actions.size() * 5 / 4);
    for (const Action& action : actions) {
        if (const std::optional<Action> news = before(action)) lowered.push_back(*news);
        lowered.push_back(action);
    }
    actions = std::move(lowered);
}

std::optional<Action> beside(ActionKind kind, const Action& compute) {
    return Action{kind, compute.stage, compute.microbatch};
}

/// The action that makes the stage's gradients final.
std::vector<Action> lastBackwards(const Schedule& schedule) {
    std::vector<Action> last(static_cast<std::size_t>(schedule.stages()));
    for (const auto& actions : schedule.ranks)
        for (const Action& action : actions)
            if (endsMicrobatch(action.kind)) last[static_cast<std::size_t>(action.stage)] = action;
    return last;
}

Schedule beforeLastBackward(Schedule schedule, ActionKind kind) {
    const std::vector<Action> last = lastBackwards(schedule);
    for (auto& actions : schedule.ranks)
        announce(actions, [&](const Action& action) {
            const bool ends = endsMicrobatch(action.kind) && action == last[static_cast<std::size_t>(action.stage)];
            return ends ? beside(kind, action) : std::nullopt;
        });
    return schedule;
}

/// What brings the weights that a forward, or a backward, reads.
Schedule beforeReads(Schedule schedule, ActionKind forward, ActionKind backward) {
    for (auto& actions : schedule.ranks)
        announce(actions, [&](const Action& action) {
            if (action.kind == ActionKind::Forward) return beside(forward, action);
            return givesInputGrad(action.kind) ? beside(backward, action) : std::nullopt;
        });
    return schedule;
}

}  // namespace

Schedule addBucketReduce(Schedule schedule) {
    return beforeLastBackward(std::move(schedule), ActionKind::ReduceBuckets);
}

Schedule addGradientScatter(Schedule schedule, bool everyMicrobatch) {
    if (!everyMicrobatch) return beforeLastBackward(std::move(schedule), ActionKind::ScatterGradients);
    for (auto& actions : schedule.ranks)
        announce(actions, [](const Action& action) {
            return endsMicrobatch(action.kind) ? beside(ActionKind::ScatterGradients, action) : std::nullopt;
        });
    return schedule;
}

Schedule addCopyReduce(Schedule schedule) { return beforeLastBackward(std::move(schedule), ActionKind::ReduceParts); }

Schedule addParameterGather(Schedule schedule) {
    return beforeReads(std::move(schedule), ActionKind::GatherForward, ActionKind::GatherBackward);
}

Schedule addParameterFetch(Schedule schedule) {
    return beforeReads(std::move(schedule), ActionKind::FetchForward, ActionKind::FetchBackward);
}

Schedule addUpdateGather(Schedule schedule) {
    for (auto& actions : schedule.ranks) {
        // Weights that are updated on the host are there once they have come back.
        const bool reloads = std::ranges::find(actions, ActionKind::ReloadWeights, &Action::kind) != actions.end();
        const ActionKind updated = reloads ? ActionKind::ReloadWeights : ActionKind::OptimizerStep;
        std::vector<Action> lowered;
        for (const Action& action : actions) {
            lowered.push_back(action);
            if (action.kind == updated) lowered.push_back({ActionKind::GatherUpdated, action.stage});
        }
        actions = std::move(lowered);
    }
    return schedule;
}

}  // namespace shardlab::layout
