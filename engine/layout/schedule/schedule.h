// SPDX-License-Identifier: Apache-2.0
// A schedule: for each pipeline rank a list of actions. Generators write the compute actions; passes add all others.
//
// Most schedules end a step with a flush: nothing is left of the step when the next begins. Schedules without a flush
// keep their ranks busy over the steps' borders, with forwards that run ahead of their backwards and with several
// versions of the weights:
//
// - `ranks` is the step that repeats, and `fill` is what each rank does once before the first step. A rank's step ends
//   with its own last backward of the step and the update after it. The borders of two ranks lie at different times,
//   and nobody waits there. At its border every stage has applied the same updates.
// - A step's list numbers microbatches from its own first, 0 to microbatches − 1; higher numbers belong to the steps
//   that follow. All backwards of a list are of its own step. Stage s forwards ahead[s] to ahead[s] + microbatches − 1,
//   since its first ahead[s] forwards were done before the border.
// - Versions are numbered from the oldest that a stage keeps at its border: 0 to versions[s] − 1, the last being the
//   current weights. Each of the step's `updates` makes the next number; at the border the numbers fall by `updates`.
//   Before a run's first update all versions are the initial weights.
// - A message is sent and received within one step, although the input that it brings may be used in the next.
// - The drain is the last step without the microbatches beyond the end of the run (withoutMicrobatchesFrom()).
#pragma once

#include "engine/layout/schedule/action.h"

#include <string>
#include <vector>

namespace shardlab::layout {

struct Schedule {
    std::string kind;  ///< name of its method, or "custom"
    int microbatches = 0;
    std::vector<int> rankOfStage;            ///< pipeline rank that holds each global stage
    std::vector<std::vector<Action>> ranks;  ///< in order of execution
    bool forwardOnly = false;                ///< for validation: there are no backwards

    // Schedules without a flush have these; otherwise the lists are empty, and a step has one update.
    std::vector<std::vector<Action>> fill;  ///< by rank: actions before the first step
    std::vector<int> ahead;                 ///< by stage: forwards that run ahead
    std::vector<int> versions;              ///< by stage: weight versions that it keeps, the current one included
    int updates = 1;  ///< updates of a stage in a step, each after microbatches ÷ updates backwards
    bool operator==(const Schedule&) const = default;

    bool flushes() const { return fill.empty(); }
    /// How many microbatch numbers the lists name: those of the step, and those after it that forwards reach.
    int numbered() const;

    int stages() const { return static_cast<int>(rankOfStage.size()); }
    int rankOf(int stage) const { return rankOfStage[static_cast<std::size_t>(stage)]; }
    /// The list of the rank that holds the stage.
    const std::vector<Action>& listOf(int stage) const { return ranks[static_cast<std::size_t>(rankOf(stage))]; }
    std::vector<Action>& listOf(int stage) { return ranks[static_cast<std::size_t>(rankOf(stage))]; }
    /// The global stages that a rank holds, ascending.
    std::vector<int> stagesOf(int rank) const;
    /// Whether lowerStage and lowerStage + 1 lie on two ranks, so that messages go between them.
    bool crossesRanks(int lowerStage) const;
    /// The ranks of the first and the last stage: two, or the one that holds both.
    std::vector<int> endRanks() const;
};

}  // namespace shardlab::layout
