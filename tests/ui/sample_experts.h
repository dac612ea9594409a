// SPDX-License-Identifier: GPL-3.0-or-later
// What training with experts records beside a run's events; for tests only.
#pragma once

#include "engine/trace/event/experts.h"
#include "tests/ui/sample_run.h"
#include "tests/support/wings.h"

namespace shardlab::sample {

/// Each step, each rank: `asked(rank, step, layer, expert)` tokens of each expert of the layers 1 and 3, of which those
/// beyond `places` were dropped.
template <class Asked>
void addExpertLoads(RunModel& model, int experts, double places, Asked asked) {
    std::vector<Event> events;
    for (const StepExtent& extent : model.steps().extents())
        for (int rank = 0; rank < model.ranks(); ++rank)
            for (const int layer : {1, 3})
                for (int e = 0; e < experts; ++e) {
                    const double tokens = asked(rank, extent.step, layer, e);
                    const auto tell = [&](EventKind kind, double value) {
                        events.push_back({extent.end, extent.end, expertNumber({layer, e}), value, 0, extent.step,
                                          static_cast<std::int16_t>(rank), Lane::Host, kind});
                    };
                    tell(EventKind::ExpertLoad, tokens);
                    if (tokens > places) tell(EventKind::ExpertDropped, tokens - places);
                }
    model.append(events);
}

/// The load of a gate that nothing evens out.
inline double uneven(int rank, int step, int layer, int expert) {
    return 40 + (expert * 7 + layer * 3) % 5 * (8 + step) + 3 * rank;
}

}  // namespace shardlab::sample
