// SPDX-License-Identifier: Apache-2.0
// Discrete-event simulation of one step of a lowered schedule.
#pragma once

#include "engine/layout/mesh.h"
#include "engine/plan/costs.h"
#include "engine/schedule/schedule.h"
#include "engine/trace/event.h"

#include <vector>

namespace shardlab {

struct Simulation {
    /// One step of every rank of the mesh, step 0, times from 0: compute, comm and optimizer spans with their action ids.
    std::vector<Event> events;
    double stepSeconds = 0;           ///< begin of the first action to end of the last, over all ranks
    std::vector<double> busySeconds;  ///< per pipeline rank, compute lane
    /// Share of the time from the step's first forward to its last backward in which a rank's compute lane is idle,
    /// mean over ranks.
    double bubble = 0;
};

/// Sends start when their action is reached and occupy the comm lane, not the compute lane; a compute action starts
/// when its rank is free and its message has arrived. `lowered` is valid (validate.h).
Simulation simulate(const Schedule& lowered, const StepCosts& costs, const Mesh& mesh);

}  // namespace shardlab
