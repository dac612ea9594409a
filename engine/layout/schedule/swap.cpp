// SPDX-License-Identifier: Apache-2.0
// Swapping (GeePS, EuroSys 2016): activations that are unused for a while go to the host and return in time.
#include "engine/layout/schedule/passes.h"

#include <map>
#include <utility>

namespace shardlab::layout {

namespace {

/// The least number of compute actions between a forward and its backward: the copy to the host runs beside the first
/// of them, the copy back beside the last.
constexpr std::size_t leastBetween = 2;

std::vector<Action> withSwaps(const std::vector<Action>& actions) {
    std::vector<std::size_t> computes;                    // the places of the compute actions so far
    std::map<std::pair<int, int>, std::size_t> forwards;  // by stage and microbatch: which of `computes`
    std::vector<bool> leaves(actions.size());
    std::map<std::size_t, Action> frees, returns;  // by the place that they come before
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const Action& action = actions[i];
        if (!isCompute(action.kind)) continue;
        const std::pair key{action.stage, action.microbatch};
        if (action.kind == ActionKind::Forward) forwards[key] = computes.size();
        const auto forward = givesInputGrad(action.kind) ? forwards.find(key) : forwards.end();
        if (forward != forwards.end() && computes.size() > forward->second + leastBetween) {
            leaves[computes[forward->second]] = true;
            frees[computes[forward->second + 2]] = {ActionKind::SwapFree, action.stage, action.microbatch};
            returns[computes.back()] = {ActionKind::SwapIn, action.stage, action.microbatch};
        }
        computes.push_back(i);
    }
    std::vector<Action> swapped;
    swapped.reserve(actions.size() + 3 * returns.size());
    for (std::size_t i = 0; i < actions.size(); ++i) {
        for (const auto* before : {&frees, &returns})
            if (const auto found = before->find(i); found != before->end()) swapped.push_back(found->second);
        swapped.push_back(actions[i]);
        if (leaves[i]) swapped.push_back({ActionKind::SwapOut, actions[i].stage, actions[i].microbatch});
    }
    return swapped;
}

}  // namespace

Schedule addActivationSwap(Schedule schedule) {
    for (std::vector<Action>& actions : schedule.ranks) actions = withSwaps(actions);
    return schedule;
}

}  // namespace shardlab::layout
