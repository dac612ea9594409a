// SPDX-License-Identifier: Apache-2.0
// Which chain of actions, transfers and reductions decides how long the step takes, and what each of the others could
// be late by.
#pragma once

#include "engine/predict/plan/simulate.h"

#include <span>
#include <vector>

namespace shardlab::predict {

struct CriticalPath {
    /// Nodes of the graph, ascending in time; each begins when the one before it ends, the first at 0, and the last
    /// ends the step. Where several chains are equally long, one of them.
    std::vector<int> nodes;
    /// Seconds that each node of the graph could take longer before the step does; 0 on the path. All others last as
    /// long as they did: where ranks share cores that is not quite so.
    std::vector<double> slack;

    struct Share {
        double compute = 0;        ///< seconds of F, B, I, W, R and the optimizer, less their tensor collectives
        double tensor = 0;         ///< of the tensor group's collectives within those
        double communication = 0;  ///< of transfers, reductions and copies to and from the host
        double seconds() const { return compute + tensor + communication; }
    };
    /// Over all ranks.
    Share share() const { return sumOf(onPath); }
    static Share sumOf(std::span<const Share> shares);
    std::vector<Share> onPath;  ///< by pipeline rank, a transfer at its sender; together the step

    struct Time {
        double computing = 0;
        double tensor = 0;    ///< in the tensor group's collectives
        double reducing = 0;  ///< in which the rank does nothing else
        double waiting = 0;   ///< the rest of the step
    };
    std::vector<Time> ofRank;  ///< by pipeline rank, each together the step
};

CriticalPath criticalPath(const StepGraph& graph);

/// F, B, I, W, R and the optimizer; the others move data.
constexpr bool isWork(ActionKind kind) { return isCompute(kind) || kind == ActionKind::OptimizerStep; }

}  // namespace shardlab::predict
