// SPDX-License-Identifier: Apache-2.0
// The figures of a step as a run file stores them, so that nobody has to read its events.
#pragma once

#include "engine/trace/metrics/rank_detail.h"
#include "engine/trace/metrics/summary.h"

#include <vector>

namespace shardlab::trace {

/// Everything kept of one step; of the step -1 what was outside steps.
struct StepFigures {
    StepSummary times;
    std::vector<RankDetail> details;  ///< one per rank

    static StepFigures of(int step, int ranks, int active) {
        return {StepSummary::of(step, ranks, active), std::vector<RankDetail>(static_cast<std::size_t>(ranks))};
    }
    /// One that countsIn() and is of this step.
    void add(const Event& event, bool flushes, const SentBytes& sent) {
        times.add(event, flushes, sent);
        details[static_cast<std::size_t>(event.rank)].add(event);
    }
};

/// A step over all ranks: what an overview of a long run needs.
struct StepOverview {
    int step = 0;
    int ended = 0;           ///< ranks that ended it
    std::int64_t begin = 0;  ///< earliest of those; nanoseconds of the run's clock
    std::int64_t end = 0;    ///< latest
    std::int64_t spent = 0;  ///< sum of those ranks' own
    std::int64_t firstForward = -1;
    std::int64_t lastBackward = -1;
    std::int64_t counted = 0;  ///< StepSummary::busy
    double loss = 0;
    std::optional<double> validation;
    RankStep sum;  ///< over ranks: busy to moved, withoutDetails; peakBytes the largest
};

StepOverview overviewOf(const StepSummary& step);
/// The step as a summary without its ranks, of which `ranks` are active.
StepSummary summaryOf(const StepOverview& overview, int ranks, bool flushes);

}  // namespace shardlab::trace
