// SPDX-License-Identifier: Apache-2.0
// Per-step figures from events, as they arrive; for live cards, the command line's summary and tests alike.
#pragma once

#include "engine/trace/event.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardlab {

struct RankStep {
    std::int64_t begin = 0;          ///< of the Step span; nanoseconds of the run's clock
    std::int64_t end = 0;            ///< 0 while the step runs
    std::int64_t firstForward = -1;
    std::int64_t lastBackward = -1;  ///< end of the last B, I or W
    std::int64_t busy = 0;           ///< compute lane, between first forward and last backward of the whole step
    std::int64_t waiting = 0;        ///< Wait spans
    std::int64_t reduce = 0;         ///< gradient reductions
    std::int64_t optimizer = 0;
    std::int64_t peakBytes = 0;
};

struct StepSummary {
    int step = 0;
    std::vector<RankStep> ranks;
    double loss = 0;  ///< NaN until known
    /// Wall time of the step: latest end − earliest begin over ranks, seconds; 0 until all ranks ended it.
    double seconds = 0;
    /// Idle share of the compute lanes from the step's first forward (of any rank) to its last backward, mean over ranks.
    double bubble = 0;
    bool complete = false;  ///< every rank's Step span has been seen
};

class Summarizer {
public:
    explicit Summarizer(int ranks);
    void add(std::span<const Event> events);
    const std::vector<StepSummary>& steps() const { return steps_; }
    /// Median over complete steps without the first two (warm-up); 0 where there are none.
    double medianStepSeconds() const;
    double medianBubble() const;

    struct Validation { int step; double loss; };
    const std::vector<Validation>& validations() const { return validations_; }

private:
    int ranks_;
    std::vector<StepSummary> steps_;
    std::vector<Validation> validations_;
};

}  // namespace shardlab
