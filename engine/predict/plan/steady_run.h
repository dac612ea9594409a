// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/predict/plan/simulation_state.h"
#include "engine/layout/schedule/passes.h"

#include <vector>

namespace shardlab::predict::simulation {

/// A run of several steps without a flush, of which one far from fill and drain is looked at.
struct SteadyRun {
    int step = 0;      ///< this one
    int averaged = 1;  ///< steps from it whose length is averaged: they need not all be alike, but come round
    Unrolled run;

    static constexpr int mostAveraged = 1 << 14;  ///< forwards, where more than two steps are taken

    explicit SteadyRun(const Schedule& schedule);

    /// The figures of the simulated run.
    Simulation figures(const std::vector<RankState>& ranks) const;
    /// Leaves each rank the events of the step, numbered as in it.
    void cut(const Schedule& schedule, std::vector<RankState>& ranks) const;
};

}  // namespace shardlab::predict::simulation
