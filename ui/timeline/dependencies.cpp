// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/dependencies.h"

#include "engine/layout/mesh/mesh.h"
#include "engine/layout/schedule/registry.h"

#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace shardlab::ui {

namespace {

struct Finder {
    const RunModel& model;
    bool predicted;
    /// Without a flush the lists of neighbouring steps reach into each other: there a microbatch has another number.
    bool overlaps = !flushes(model.header().layout);
    int microbatches = layout::microbatches(model.header().layout);

    /// Read once for each step of a lane: those near an event are asked for again and again.
    mutable std::map<std::tuple<int, Lane, int>, std::vector<Event>> read{};

    std::span<const Event> lane(int rank, Lane lane, int step) const {
        if (predicted) return model.prediction().lane(rank, lane);
        const auto [known, fresh] = read.try_emplace({rank, lane, step});
        if (fresh) known->second = eventsOfStep(model, rank, lane, step);
        return known->second;
    }
    /// The event of `rank` that `fits(its action, action)`, where `action` is numbered as in `step`.
    template <class Fits>
    const Event* search(int rank, Lane lane_, Action action, int step, const Fits& fits) const {
        const int own = action.microbatch;
        for (const int away : {0, -1, 1}) {
            if (away != 0 && (predicted || !overlaps || own < 0 || step + away < 0)) continue;
            action.microbatch = own - away * microbatches;
            if (own >= 0 && action.microbatch < 0) continue;
            for (const Event& candidate : lane(rank, lane_, step + away))
                if (candidate.kind != EventKind::Wait && fits(actionFromId(candidate.action), action))
                    return &candidate;
        }
        return nullptr;
    }
    const Event* find(int rank, Lane lane_, const Action& action, int step) const {
        return search(rank, lane_, action, step, [](Action candidate, const Action& wanted) {
            candidate.version = -1;  // a message does not know which weights its taker computes with
            return candidate == wanted;
        });
    }
    /// The other end of a message of `rank`, in the same pipeline.
    const Event* otherEnd(const Action& end, int rank, int step) const {
        for (const int member : model.mesh().group(rank, Axis::Pipeline)) {
            const Event* found =
                search(member, Lane::Comm, end, step, [](const Action& candidate, const Action& wanted) {
                    const bool opposite = isSend(wanted.kind) ? isReceive(candidate.kind) : isSend(candidate.kind);
                    return opposite && pairTag(candidate) == pairTag(wanted);
                });
            if (found) return found;
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
            if (const Event* user = find(receive.rank, Lane::Compute, action, receive.step)) return user;
        }
        return &receive;
    }
};

}  // namespace

std::optional<Action> inputMessage(const Action& compute, int stages) {
    Action message = compute;
    message.version = -1;
    if (compute.kind == ActionKind::Forward && compute.stage > 0) message.kind = ActionKind::RecvForward;
    else if ((compute.kind == ActionKind::Backward || compute.kind == ActionKind::InputGrad) &&
             compute.stage + 1 < stages)
        message.kind = ActionKind::RecvBackward;
    else return {};
    return message;
}

std::vector<Dependency> dependencies(const RunModel& model, const Event& event) {
    if (!isSpan(event.kind)) return {};  // an overflow names an action, but is none
    std::vector<Dependency> found;
    if (model.empty() || event.action == 0 || event.rank >= model.ranks()) return found;
    const Finder finder{model, model.recorded().events == 0};
    const Action action = actionFromId(event.action);

    if (isSend(action.kind)) {
        if (const Event* receive = finder.otherEnd(action, event.rank, event.step))
            found.push_back({event, *finder.userOf(*receive)});
        return found;
    }
    if (isReceive(action.kind)) {
        if (const Event* send = finder.otherEnd(action, event.rank, event.step))
            found.push_back({*send, *finder.userOf(event)});
        return found;
    }
    if (const auto input = inputMessage(action, stageCount(model.header().layout))) {
        if (const Event* send = finder.otherEnd(*input, event.rank, event.step)) found.push_back({*send, event});
    }
    Action output = action;
    output.version = -1;
    if (action.kind == ActionKind::Forward) output.kind = ActionKind::SendForward;
    else if (action.kind == ActionKind::Backward || action.kind == ActionKind::InputGrad)
        output.kind = ActionKind::SendBackward;
    else return found;
    if (const Event* send = finder.find(event.rank, Lane::Comm, output, event.step)) {
        if (const Event* receive = finder.otherEnd(output, event.rank, event.step))
            found.push_back({*send, *finder.userOf(*receive)});
    }
    return found;
}

std::optional<Event> waitBefore(const RunModel& model, const Event& event) {
    if (model.empty() || event.action == 0 || event.rank >= model.ranks() || event.lane != Lane::Compute) return {};
    const auto message = inputMessage(actionFromId(event.action), stageCount(model.header().layout));
    if (!message) return {};
    const ActionId id = actionId(*message);
    for (const Event& candidate : eventsOfStep(model, event.rank, Lane::Compute, event.step)) {
        if (candidate.kind == EventKind::Wait && candidate.action == id && candidate.begin <= event.begin)
            return candidate;
    }
    return {};
}

const Event* predictedOf(const RunModel& model, const Event& event) {
    if (model.empty() || event.action == 0 || event.rank >= model.ranks() || !model.steps().isPredicted(event.step))
        return nullptr;
    for (const Event& candidate : model.prediction().lane(event.rank, event.lane)) {
        if (candidate.action == event.action && candidate.kind == event.kind && candidate.value == event.value)
            return &candidate;
    }
    return nullptr;
}

}  // namespace shardlab::ui
