// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/step_account.h"

#include "engine/base/clock.h"
#include "engine/plan/predicted_memory.h"

#include <unordered_map>

namespace shardlab {

int StepAccount::nodeOf(const Event& event) const {
    if (event.action == 0 || event.rank < 0 || event.rank >= mesh.ranks() || event.kind != eventKind(actionFromId(event.action).kind)) return -1;
    const auto found = nodes.find({pipelineRank(event.rank), event.action});
    return found == nodes.end() ? -1 : found->second;
}

std::shared_ptr<const StepAccount> accountOf(const Layout& layout, std::vector<Event> events) {
    auto plan = makePlan(layout);
    if (!plan) return nullptr;
    // A recorded run keeps what was predicted for it then.
    if (!events.empty()) plan->simulation.events = std::move(events);
    auto account = std::make_shared<StepAccount>(StepAccount{.mesh = plan->mesh});
    account->memory = predictedMemory(*plan);
    // Each action as long as the prediction has it, shares of a core and measured times included.
    std::unordered_map<ActionId, double> lasts;
    for (const Event& event : plan->simulation.events)
        if (event.action != 0 && event.kind == eventKind(actionFromId(event.action).kind) && !isReceive(actionFromId(event.action).kind))
            lasts[event.action] = toSeconds(event.end - event.begin);
    plan->costs.cores = 0;
    account->graph = stepGraph(plan->lowered, plan->costs, [&](const Action& action) {
        const auto found = lasts.find(actionId(action));
        return found == lasts.end() ? plan->costs.seconds(action) : found->second;
    });
    account->path = criticalPath(account->graph);
    for (std::size_t i = 0; i < account->graph.nodes.size(); ++i) {
        const StepGraph::Node& node = account->graph.nodes[i];
        account->nodes[{node.rank, actionId(node.action)}] = static_cast<int>(i);
    }
    return account;
}

}  // namespace shardlab
