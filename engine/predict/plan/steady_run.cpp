// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/steady_run.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

namespace shardlab::predict::simulation {

SteadyRun::SteadyRun(const Schedule& schedule) {
    const int p = static_cast<int>(schedule.ranks.size()), m = schedule.microbatches;
    const auto stepsOf = [m](int microbatches) { return (microbatches + m - 1) / m; };
    step = 1 + stepsOf(8 * p);
    averaged = std::clamp(mostAveraged / (p * m), std::max(2, stepsOf(p)), std::max(12, stepsOf(p)));
    run = unrolled(schedule, step + averaged + stepsOf(p));
}

Simulation SteadyRun::figures(const std::vector<RankState>& ranks) const {
    Simulation result;
    const auto first = static_cast<std::size_t>(step), last = static_cast<std::size_t>(step + averaged);
    double busy = 0;
    for (const RankState& state : ranks) {
        result.stepSeconds =
            std::max(result.stepSeconds, (state.marks[last].time - state.marks[first].time) / averaged);
        result.busySeconds.push_back((state.marks[last].busy - state.marks[first].busy) / averaged);
        busy += result.busySeconds.back();
    }
    busy /= static_cast<double>(ranks.size());
    result.bubble = std::max(0.0, 1 - busy / result.stepSeconds);
    return result;
}

void SteadyRun::cut(const Schedule& schedule, std::vector<RankState>& ranks) const {
    const auto at = static_cast<std::size_t>(step);
    std::int64_t origin = std::numeric_limits<std::int64_t>::max();
    for (const RankState& state : ranks) origin = std::min(origin, EventSink::nanoseconds(state.marks[at].time));
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        RankState& state = ranks[rank];
        const std::int64_t begin = EventSink::nanoseconds(state.marks[at].time),
                           end = EventSink::nanoseconds(state.marks[at + 1].time);
        const std::vector<Action>& actions = run.schedule.ranks[rank];
        std::unordered_set<ActionId> own;
        for (std::size_t i = run.borders[rank][at]; i < run.borders[rank][at + 1]; ++i)
            own.insert(actionId(actions[i]));
        std::vector<Event> kept;
        for (Event event : state.sink.events()) {
            // A wait may be for a message of the step before.
            const bool inside =
                event.kind == EventKind::Wait ? event.begin >= begin && event.begin < end : own.contains(event.action);
            if (!inside) continue;
            event.action = actionId(inStep(actionFromId(event.action), schedule, step));
            event.begin -= origin;
            event.end -= origin;
            kept.push_back(event);
        }
        kept.push_back({begin - origin, end - origin, 0, 0, 0, 0, 0, Lane::Host, EventKind::Step});
        state.sink.events() = std::move(kept);
    }
}

}  // namespace shardlab::predict::simulation
