// SPDX-License-Identifier: Apache-2.0
// A schedule: for each pipeline rank a list of actions. Generators write compute only; passes lower it.
//
// Most end a step with a flush: nothing is left of it when the next begins. Those that do not keep their ranks busy
// over the steps' borders, with forwards that run ahead of their backwards and with several versions of the weights:
//
// - `ranks` is the step that repeats, `fill` what each rank does once before the first. A rank's step ends where its
//   own last backward of the step, and the update after it, are done: a rank's borders lie at other times than its
//   neighbour's, and nobody waits there. At its border every stage has applied the same updates.
// - A step's list numbers microbatches from its own first, 0 to microbatches − 1; what is numbered `microbatches` and
//   above belongs to the steps after it. Backwards are of the step's own; forwards of stage s run from `ahead[s]` to
//   ahead[s] + microbatches − 1: its first ahead[s] forwards were done before the border.
// - Versions are numbered from the oldest that a stage keeps at its border: 0 to versions[s] − 1, the last being the
//   current weights. Each of the step's `updates` makes the next number; at the border the numbers fall by `updates`.
//   Before a run's first update all of them are the initial weights.
// - Messages are sent and received within one step, although the input that one brings may be used in the next.
// - The drain is the last step without what is numbered beyond the run's last microbatch (withoutMicrobatchesFrom()).
#pragma once

#include "engine/layout/schedule/action.h"

#include <string>
#include <vector>

namespace shardlab {

struct Schedule {
    std::string kind;  ///< name of its method, or "custom"
    int microbatches = 0;
    std::vector<int> rankOfStage;            ///< pipeline rank that holds each global stage
    std::vector<std::vector<Action>> ranks;  ///< in order of execution
    bool forwardOnly = false;                ///< for validation: there are no backwards

    // Of schedules that do not flush; empty, and 1, where every step ends with a flush.
    std::vector<std::vector<Action>> fill;  ///< by rank, before the first step
    std::vector<int> ahead;                 ///< by stage
    std::vector<int> versions;              ///< by stage: weight versions it keeps, the current one included
    int updates = 1;                        ///< of each stage in a step, each after microbatches ÷ updates backwards
    bool operator==(const Schedule&) const = default;

    bool flushes() const { return fill.empty(); }
    /// Microbatch numbers that the lists name: those of the step, and those after it that forwards reach into.
    int numbered() const;

    int stages() const { return static_cast<int>(rankOfStage.size()); }
    /// Global stages of a rank, ascending.
    std::vector<int> stagesOf(int rank) const;
    bool crossesRanks(int lowerStage) const;  ///< between lowerStage and lowerStage + 1 a message is needed
    /// The ranks of first and last stage: two, or the one that holds both.
    std::vector<int> endRanks() const;
};

}  // namespace shardlab
