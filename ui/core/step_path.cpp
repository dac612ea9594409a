// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/step_path.h"

#include "engine/base/clock.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <map>
#include <utility>

namespace shardlab::ui {
namespace {

/// A rank's events by action, not those of what happens within one or before it. One that waits cut into pieces is
/// whole.
class Actions {
public:
    void add(std::span<const Event> events) {
        for (const Event& event : events) {
            if (holdsUpAction(event.kind)) tensor_[event.action].emplace_back(event.begin, event.end);
            if (event.action == 0 || event.kind != eventKind(actionFromId(event.action).kind)) continue;
            const auto [known, added] = events_.try_emplace(event.action, event);
            if (added) continue;
            known->second.begin = std::min(known->second.begin, event.begin);
            known->second.end = std::max(known->second.end, event.end);
        }
    }
    const Event* of(const Action& action) const {
        const auto found = events_.find(actionId(action));
        return found == events_.end() ? nullptr : &found->second;
    }
    /// In device time.
    std::optional<MeasuredSpan> spanOf(const Action& action, DeviceTime device) const {
        const Event* event = of(action);
        if (!event) return std::nullopt;
        const auto tensor = tensor_.find(actionId(action));
        const auto seconds = [&](std::int64_t time) { return device.seconds(toSeconds(time)); };
        MeasuredSpan span{seconds(event->begin), seconds(event->end)};
        if (tensor != tensor_.end())
            for (const auto& [begin, end] : tensor->second) span.tensor.emplace_back(seconds(begin), seconds(end));
        return span;
    }

private:
    std::map<ActionId, Event> events_;
    std::map<ActionId, std::vector<std::pair<std::int64_t, std::int64_t>>> tensor_;  ///< collectives within an action
};

/// By pipeline rank, of one pipeline: predicted, or measured in a step.
std::vector<Actions> actionsOf(const RunModel& model, const StepAccount& account, int pipeline,
                               std::optional<int> step) {
    const std::vector<int> ranks = account.mesh.group(pipeline, Axis::Pipeline);
    std::vector<Actions> actions(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] >= model.ranks()) continue;
        for (const Lane lane : {Lane::Compute, Lane::Comm, Lane::Copy})
            if (step) actions[i].add(eventsOfStep(model, ranks[i], lane, *step));
            else actions[i].add(model.prediction().lane(ranks[i], lane));
    }
    return actions;
}

const Event* eventOf(const std::vector<Actions>& actions, const StepGraph::Node& node) {
    return actions[static_cast<std::size_t>(node.rank)].of(node.action);
}

}  // namespace

int pipelineOf(const StepAccount& account, int rank) { return rank >= 0 && rank < account.mesh.ranks() ? rank : 0; }

std::vector<Event> predictedPath(const RunModel& model, const StepAccount& account, int pipeline,
                                 std::optional<int> step) {
    const auto actions = actionsOf(model, account, pipeline, step);
    std::vector<Event> events;
    for (const int node : account.path.nodes)
        if (const Event* event = eventOf(actions, account.graph.nodes[static_cast<std::size_t>(node)]))
            events.push_back(*event);
    return events;
}

std::optional<StepPath> measuredPath(const RunModel& model, const StepAccount& account, int pipeline, int step) {
    if (model.empty() || !flushes(model.header().layout)) return std::nullopt;
    const auto actions = actionsOf(model, account, pipeline, step);
    std::vector<std::optional<MeasuredSpan>> times;
    times.reserve(account.graph.nodes.size());
    for (const StepGraph::Node& node : account.graph.nodes)
        times.push_back(actions[static_cast<std::size_t>(node.rank)].spanOf(node.action, model.deviceTime()));
    StepPath found{step, measuredPath(account.graph, times), {}};
    if (found.path.links.empty()) return std::nullopt;
    for (const MeasuredPath::Link& link : found.path.links)
        found.events.push_back(*eventOf(actions, account.graph.nodes[static_cast<std::size_t>(link.node)]));
    return found;
}

}  // namespace shardlab::ui
