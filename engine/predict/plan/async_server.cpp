// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/async_server.h"

#include "engine/base/clock.h"
#include "engine/predict/plan/event_sink.h"
#include "engine/predict/plan/simulate_actions.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace shardlab::predict {
namespace {

/// What a worker does by itself.
Schedule gradientOf(Schedule lowered) {
    for (auto& actions : lowered.ranks)
        std::erase_if(actions, [](const Action& action) { return !isCompute(action.kind); });
    return lowered;
}

/// What the server's lock is held for.
std::vector<Action> serviceOf(const Schedule& lowered) {
    std::vector<Action> service;
    for (const Action& action : lowered.ranks.front())
        if (!isCompute(action.kind)) service.push_back(action);
    return service;
}

/// The costs of workers that compute at the same time and share the cores of their host.
StepCosts sharedByWorkers(StepCosts costs) {
    const int workers = std::exchange(costs.asyncWorkers, 0);
    costs.cores *= double(workers + 1) / workers;
    if (costs.cores >= 1) costs.cores = 0;
    return costs;
}

/// The moments in the life of one gradient, in seconds.
struct Cycle {
    double begin = 0;  ///< the weights are there
    double asked = 0;  ///< for the lock
    double granted = 0;
    double end = 0;  ///< the new weights are there
};

/// Cycles by worker, in the order of time.
std::vector<std::vector<Cycle>> cyclesOf(int workers, double gradient, double service, int rounds) {
    std::vector<std::vector<Cycle>> cycles(static_cast<std::size_t>(workers));
    double free = 0;
    for (int round = 0; round < rounds; ++round)
        for (auto& own : cycles) {  // all take equally long, so that their order stays
            Cycle cycle;
            cycle.begin = own.empty() ? 0 : own.back().end;
            cycle.asked = cycle.begin + gradient;
            cycle.granted = std::max(cycle.asked, free);
            cycle.end = free = cycle.granted + service;
            own.push_back(cycle);
        }
    return cycles;
}

class Events {
public:
    Events(const Schedule& lowered, const StepCosts& costs, double origin, std::vector<Event>& made)
        : service_(serviceOf(lowered)), costs_(costs), origin_(origin), made_(made) {}

    void serve(const Cycle& cycle, int worker, bool server) {
        double at = cycle.granted;
        for (const Action& action : service_) {
            const double end = at + costs_.seconds(action);
            const bool pushes = action.kind == ActionKind::PushGradients,
                       pulls = action.kind == ActionKind::PullWeights;
            if (pushes || pulls) {
                const std::int64_t leaves = pushes != server ? costs_.bytes(action) : 0;
                add(server ? 0 : worker, Lane::Comm, eventKind(action.kind), at, end, action, leaves, worker);
            } else if (server) {
                const Lane lane = action.kind == ActionKind::OptimizerStep ? Lane::Compute : Lane::Comm;
                add(0, lane, eventKind(action.kind), at, end, action, costs_.bytes(action));
            }
            at = end;
        }
        if (server) return;
        const Action push = service_.front(), pull = service_.back();
        add(worker, Lane::Compute, EventKind::Wait, cycle.asked, cycle.granted, push);
        add(worker, Lane::Compute, EventKind::Wait, cycle.granted + costs_.seconds(push),
            cycle.end - costs_.seconds(pull), pull);
    }
    void add(int rank, Lane lane, EventKind kind, double begin, double end, const Action& action,
             std::int64_t bytes = 0, double value = 0) {
        if (kind == EventKind::Wait && end - begin < 1e-12) return;
        made_.push_back(
            {time(begin), time(end), bytes, value, actionId(action), 0, static_cast<std::int16_t>(rank), lane, kind});
    }
    void compute(int worker, const Cycle& cycle, std::span<const Event> gradient) {
        for (Event event : gradient) {
            if (event.kind == EventKind::Step) continue;
            event.begin += time(cycle.begin);
            event.end += time(cycle.begin);
            event.rank = static_cast<std::int16_t>(worker);
            made_.push_back(event);
        }
    }
    std::int64_t time(double seconds) const { return EventSink::nanoseconds(seconds - origin_); }

private:
    const std::vector<Action> service_;
    const StepCosts& costs_;
    double origin_;
    std::vector<Event>& made_;
};

}  // namespace

Simulation simulateAsyncServer(const Schedule& lowered, const StepCosts& costs, bool events) {
    const int workers = costs.asyncWorkers;
    const Schedule work = gradientOf(lowered);
    const StepCosts shared = sharedByWorkers(costs);
    Layout alone;
    alone.parallel.data = alone.parallel.pipeline = 1;
    const Simulation gradient =
        events ? simulateActions(work, shared, Mesh(alone)) : simulateActionsWithoutEvents(work, shared);
    double service = 0, updating = 0;
    for (const Action& action : serviceOf(lowered)) {
        service += costs.seconds(action);
        if (action.kind == ActionKind::OptimizerStep) updating += costs.seconds(action);
    }
    constexpr int steady = 2;  // the first round puts the workers in a row, and all later ones are alike
    const auto cycles = cyclesOf(workers, gradient.stepSeconds, service, steady + 2);
    const double from = cycles.back()[steady - 1].end, to = cycles.back()[steady].end;
    Simulation result;
    result.stepSeconds = to - from;
    result.busySeconds = gradient.busySeconds;
    const double busy = workers * (gradient.busySeconds.front() + updating);
    result.bubble = std::max(0.0, 1 - busy / (result.stepSeconds * (workers + 1)));
    if (!events) return result;

    Events made(lowered, costs, from, result.events);
    double idle = from;
    for (int worker = 1; worker <= workers; ++worker) {
        const Cycle& served = cycles[static_cast<std::size_t>(worker - 1)][steady];
        made.add(0, Lane::Compute, EventKind::Wait, idle, served.granted, serviceOf(lowered).front());
        made.serve(served, worker, true);
        idle = served.end;
    }
    for (int rank = 0; rank <= workers; ++rank) {
        made.add(rank, Lane::Host, EventKind::Step, from, to, {});
        if (rank == 0) continue;
        for (const Cycle& cycle : cycles[static_cast<std::size_t>(rank - 1)]) {
            if (made.time(cycle.begin) < 0 || made.time(cycle.begin) >= made.time(to)) continue;
            made.compute(rank, cycle, gradient.events);
            made.serve(cycle, rank, false);
        }
    }
    std::ranges::stable_sort(result.events, {}, [](const Event& event) { return std::pair(event.rank, event.begin); });
    return result;
}

void ServerBusy::add(const Event& event) {
    if (event.rank != 0 || event.step < 0) return;
    const double length = toSeconds(event.end - event.begin);
    if (event.kind == EventKind::Step) steps_[event.step].whole += length;
    if (isServerExchange(event.kind) || event.kind == EventKind::Optimizer || event.kind == EventKind::ReduceNorm)
        steps_[event.step].busy += length;
}

double ServerBusy::share(int first) const {
    Step sum;
    for (auto step = steps_.lower_bound(first); step != steps_.end(); ++step) {
        sum.busy += step->second.busy;
        sum.whole += step->second.whole;
    }
    return sum.whole > 0 ? std::min(1.0, sum.busy / sum.whole) : 0;
}

double serverBusy(std::span<const Event> events) {
    ServerBusy busy;
    for (const Event& event : events) busy.add(event);
    return busy.share();
}

}  // namespace shardlab::predict
