// SPDX-License-Identifier: Apache-2.0
// The critical path of a step as it was measured: what each action had to wait for is known from the schedule, when it
// began and ended from the run.
#pragma once

#include "engine/predict/plan/critical_path.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace shardlab::predict {

struct MeasuredSpan {
    double begin = 0;  ///< seconds, from any moment that is the same for all
    double end = 0;
    /// Ascending, within it: what the collectives of its tensor group took, the wait for their other members included.
    std::vector<std::pair<double, double>> tensor{};
};

struct MeasuredPath {
    /// An action on the path. In [begin, end] it decided; `gap` is the time before it in which nothing did: its rank
    /// was slow to begin it, or waited for what the graph does not have, such as another replica.
    struct Link {
        int node = 0;  ///< of the graph
        double begin = 0;
        double end = 0;  ///< at most the measured end: a message still on its way when it was used is cut there
        double gap = 0;
    };
    std::vector<Link> links;  ///< ascending; each begins where the one before it ends and its own gap is over
    double seconds = 0;       ///< from the first link's begin to the last one's end: all links and gaps together
    double gaps = 0;          ///< seconds
    std::vector<CriticalPath::Share> onPath;  ///< by pipeline rank, gaps left out

    CriticalPath::Share share() const { return CriticalPath::sumOf(onPath); }
};

/// `times`: one for each node of the graph; none where the action was not recorded, which is passed by. From the action
/// that ended last back: of those that a node had to wait for, the one that ended last.
MeasuredPath measuredPath(const StepGraph& graph, std::span<const std::optional<MeasuredSpan>> times);

}  // namespace shardlab::predict
