// SPDX-License-Identifier: Apache-2.0
// A schedule: for each pipeline rank a list of actions. Generators write compute only; passes lower it.
#pragma once

#include "engine/schedule/action.h"

#include <string>
#include <vector>

namespace shardlab {

struct Schedule {
    std::string kind;  ///< name of its method, or "custom"
    int microbatches = 0;
    std::vector<int> rankOfStage;               ///< pipeline rank that holds each global stage
    std::vector<std::vector<Action>> ranks;     ///< in order of execution
    bool forwardOnly = false;                   ///< for validation: there are no backwards
    bool operator==(const Schedule&) const = default;

    int stages() const { return static_cast<int>(rankOfStage.size()); }
    /// Global stages of a rank, ascending.
    std::vector<int> stagesOf(int rank) const;
    bool crossesRanks(int lowerStage) const;  ///< between lowerStage and lowerStage + 1 a message is needed
    /// The ranks of first and last stage: two, or the one that holds both.
    std::vector<int> endRanks() const;
};

}  // namespace shardlab
