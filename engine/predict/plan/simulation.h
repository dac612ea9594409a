// SPDX-License-Identifier: Apache-2.0
// What a simulation tells of one step.
#pragma once

#include "engine/trace/event/event.h"

#include <vector>

namespace shardlab::predict {

struct Simulation {
    /// One step of every rank of the mesh, step 0, times from 0; rank after rank, ascending by begin: compute, comm and
    /// optimizer spans with their action ids, waits, and the Step span in the host lane.
    std::vector<Event> events;
    /// Ranks of one pipeline rank do the same. Where all of their events were too many, of each pipeline rank only the
    /// first and the last of its ranks have theirs, and the others their Step span alone.
    bool folded = false;
    double stepSeconds = 0;           ///< begin of the first action to end of the last, over all ranks
    std::vector<double> busySeconds;  ///< per pipeline rank, compute lane: F, B, I, W, R
    /// Share of the time from the step's first forward to its last backward in which a rank's compute lane is idle,
    /// mean over ranks.
    double bubble = 0;
    // For a schedule that does not flush, these figures describe a step far from fill and drain, which each rank begins
    // at its own border: stepSeconds is the time from one border to the next, updates and stashes count as busy, and
    // the bubble is the idle share of stepSeconds. The events begin with the rank that is first at its border; they
    // last longer than stepSeconds, because the other ranks are still in the step before.
};

}  // namespace shardlab::predict
