// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/step_account.h"

#include "engine/base/clock.h"
#include "engine/layout/check/check.h"
#include "engine/layout/exchange.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/predicted_memory.h"

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>

namespace shardlab::ui {

int StepAccount::nodeOf(const Event& event) const {
    if (event.action == 0 || event.rank < 0 || event.rank >= mesh.ranks() ||
        event.kind != eventKind(actionFromId(event.action).kind))
        return -1;
    const auto found = nodes.find({pipelineRank(event.rank), event.action});
    return found == nodes.end() ? -1 : found->second;
}

namespace {

/// What a prediction's events tell of an action: shares of a core and measured times included.
struct Told {
    int rank = -1;     ///< of those that do it alike, the one whose events these are
    double lasts = 0;  ///< seconds, less the waits that cut it
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = 0;
    double tensor = 0;  ///< seconds of its tensor collectives
    bool known() const { return begin <= end; }
    double tensorShare() const { return end > begin ? std::min(1.0, tensor / toSeconds(end - begin)) : 0; }
};

std::unordered_map<ActionId, Told> toldOf(std::span<const Event> events) {
    std::unordered_map<ActionId, Told> told;
    for (const Event& event : events) {
        if (event.action == 0 || nameNumber(event.action) != 0) continue;
        const ActionKind kind = actionFromId(event.action).kind;
        const bool own = event.kind == eventKind(kind) && !isReceive(kind);
        if (!own && !holdsUpAction(event.kind)) continue;
        Told& action = told[event.action];
        if (action.rank < 0) action.rank = event.rank;
        if (action.rank != event.rank) continue;
        const double seconds = toSeconds(event.end - event.begin);
        (own ? action.lasts : action.tensor) += seconds;
        if (!own) continue;
        action.begin = std::min(action.begin, event.begin);
        action.end = std::max(action.end, event.end);
    }
    return told;
}

/// Actions wait within for what runs beside compute over the data axis.
bool cutByWaits(std::span<const Event> events) {
    return std::ranges::any_of(events, [](const Event& event) {
        return event.kind >= EventKind::ReduceBuckets && event.kind <= EventKind::RingHop;
    });
}

}  // namespace

std::shared_ptr<const StepAccount> accountOf(const Layout& layout, std::vector<Event> events, DeviceTime device) {
    if (!check(layout, scheduleMethods()).empty()) return nullptr;
    StepPlan plan = stepPlan(layout);
    if (events.empty()) {
        plan.costs.stretch = device.stretch();
        events = simulationOf(plan).events;
    }
    auto account = std::make_shared<StepAccount>(StepAccount{.mesh = plan.mesh});
    account->memory = predictedMemory(plan, events);
    if (layout.parallel.exchange != Exchange::AllReduce) account->memoryOfFirst = predictedMemory(plan, events, 0);
    if (layout.parallel.exchange == Exchange::Elastic) account->first = layout.parallel.context;
    const auto told = toldOf(events);
    plan.costs.cores = 0;
    plan.costs.stretch = 1;
    account->graph = stepGraph(plan.lowered, plan.costs, [&](const Action& action) {
        const auto found = told.find(actionId(action));
        return found == told.end() || !found->second.known() ? plan.costs.seconds(action)
                                                             : device.seconds(found->second.lasts);
    });
    // Where waits cut actions, collectives are drawn over the waits too: the cost model's share then.
    if (!cutByWaits(events))
        for (StepGraph::Node& node : account->graph.nodes)
            if (const auto found = told.find(actionId(node.action)); found != told.end())
                node.tensor = (node.end - node.begin) * found->second.tensorShare();
    account->path = criticalPath(account->graph);
    for (std::size_t i = 0; i < account->graph.nodes.size(); ++i) {
        const StepGraph::Node& node = account->graph.nodes[i];
        account->nodes[{node.rank, actionId(node.action)}] = static_cast<int>(i);
    }
    return account;
}

}  // namespace shardlab::ui
