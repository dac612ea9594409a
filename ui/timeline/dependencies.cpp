// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/dependencies.h"

#include "engine/layout/mesh.h"

#include <span>

namespace shardlab {

namespace {

struct Finder {
    const RunModel& model;
    const Event& event;
    bool predicted;

    std::span<const Event> lane(int rank, Lane lane) const {
        return predicted ? std::span<const Event>(model.predicted(rank, lane)) : model.eventsOfStep(rank, lane, event.step);
    }
    const Event* find(int rank, Lane lane_, ActionId id) const {
        for (const Event& candidate : lane(rank, lane_)) {
            Action action = actionFromId(candidate.action);
            action.version = -1;  // a message does not know which weights its taker computes with
            if (actionId(action) == id && candidate.kind != EventKind::Wait) return &candidate;
        }
        return nullptr;
    }
    /// The other end of a message, in the same pipeline.
    const Event* otherEnd(const Action& end) const {
        const int tag = pairTag(end);
        for (const int rank : Mesh(model.header().layout).group(event.rank, Axis::Pipeline)) {
            for (const Event& candidate : lane(rank, Lane::Comm)) {
                const Action action = actionFromId(candidate.action);
                const bool opposite = isSend(end.kind) ? isReceive(action.kind) : isSend(action.kind);
                if (opposite && pairTag(action) == tag) return &candidate;
            }
        }
        return nullptr;
    }
    /// What a receive brings its input to, on the receive's rank.
    const Event* userOf(const Event& receive) const {
        Action action = actionFromId(receive.action);
        const bool forward = action.kind == ActionKind::RecvForward;
        for (const ActionKind kind : {ActionKind::Forward, ActionKind::Backward, ActionKind::InputGrad}) {
            if ((kind == ActionKind::Forward) != forward) continue;
            action.kind = kind;
            if (const Event* user = find(receive.rank, Lane::Compute, actionId(action))) return user;
        }
        return &receive;
    }
};

}  // namespace

std::optional<Action> inputMessage(const Action& compute, int stages) {
    Action message = compute;
    message.version = -1;
    if (compute.kind == ActionKind::Forward && compute.stage > 0) message.kind = ActionKind::RecvForward;
    else if ((compute.kind == ActionKind::Backward || compute.kind == ActionKind::InputGrad) && compute.stage + 1 < stages)
        message.kind = ActionKind::RecvBackward;
    else return {};
    return message;
}

std::vector<Dependency> dependencies(const RunModel& model, const Event& event) {
    if (!isSpan(event.kind)) return {};  // an overflow names an action, but is none
    std::vector<Dependency> found;
    if (model.empty() || event.action == 0 || event.rank >= model.ranks()) return found;
    const Finder finder{model, event, model.eventCount() == 0};
    const Action action = actionFromId(event.action);

    if (isSend(action.kind)) {
        if (const Event* receive = finder.otherEnd(action)) found.push_back({event, *finder.userOf(*receive)});
        return found;
    }
    if (isReceive(action.kind)) {
        if (const Event* send = finder.otherEnd(action)) found.push_back({*send, *finder.userOf(event)});
        return found;
    }
    if (const auto input = inputMessage(action, stageCount(model.header().layout))) {
        if (const Event* send = finder.otherEnd(*input)) found.push_back({*send, event});
    }
    Action output = action;
    output.version = -1;
    if (action.kind == ActionKind::Forward) output.kind = ActionKind::SendForward;
    else if (action.kind == ActionKind::Backward || action.kind == ActionKind::InputGrad) output.kind = ActionKind::SendBackward;
    else return found;
    if (const Event* send = finder.find(event.rank, Lane::Comm, actionId(output))) {
        if (const Event* receive = finder.otherEnd(output)) found.push_back({*send, *finder.userOf(*receive)});
    }
    return found;
}

std::optional<Event> waitBefore(const RunModel& model, const Event& event) {
    if (model.empty() || event.action == 0 || event.rank >= model.ranks() || event.lane != Lane::Compute) return {};
    const auto message = inputMessage(actionFromId(event.action), stageCount(model.header().layout));
    if (!message) return {};
    const ActionId id = actionId(*message);
    for (const Event& candidate : model.eventsOfStep(event.rank, Lane::Compute, event.step)) {
        if (candidate.kind == EventKind::Wait && candidate.action == id && candidate.begin <= event.begin) return candidate;
    }
    return {};
}

const Event* predictedOf(const RunModel& model, const Event& event) {
    if (model.empty() || event.action == 0 || event.rank >= model.ranks()) return nullptr;
    for (const Event& candidate : model.predicted(event.rank, event.lane)) {
        if (candidate.action == event.action && candidate.kind == event.kind && candidate.value == event.value)
            return &candidate;
    }
    return nullptr;
}

}  // namespace shardlab
