// SPDX-License-Identifier: Apache-2.0
// Per-step figures from events, as they arrive; for live cards, the command line's summary and tests alike.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/trace/event/restarts.h"
#include "engine/trace/metrics/sent_bytes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardlab::trace {

/// So many steps at a run's beginning do not count where figures of steady steps are asked for.
inline constexpr std::size_t warmUpSteps = 2;

struct RankStep {
    std::int64_t begin = 0;  ///< of the Step span; nanoseconds of the run's clock
    std::int64_t end = 0;    ///< 0 while the step runs
    std::int64_t firstForward = -1;
    std::int64_t lastBackward = -1;  ///< end of the last B, I or W
    std::int64_t busy = 0;           ///< compute lane, between first forward and last backward of the whole step
    std::int64_t kernelsEnd = 0;     ///< of the kernels seen so far; of what overlaps only the rest is busy
    std::int64_t waiting = 0;        ///< Wait spans
    std::int64_t reduce = 0;         ///< gradient reductions
    std::int64_t optimizer = 0;
    std::int64_t recompute = 0;  ///< within backwards
    std::int64_t hidden = -1;    ///< data-axis communication behind which it computed; -1: not told
    std::int64_t exposed = -1;   ///< the same, for which it waited
    std::int64_t overrun = 0;    ///< of a paced run: that the real work took longer than the modelled device
    std::int64_t moved = 0;      ///< bytes that it sent (SentBytes)
    std::int64_t peakBytes = 0;
    std::int64_t withoutDetails = 0;  ///< 1: lacksDetails()
    bool operator==(const RankStep&) const = default;
};

struct StepSummary {
    int step = 0;
    std::vector<RankStep> ranks;      ///< empty where only the step as a whole is known
    int active = 0;                   ///< ranks that do it; an elastic run may have fewer than its layout for some time
    std::int64_t begin = 0;           ///< earliest of the ranks that ended it; nanoseconds of the run's clock
    std::int64_t end = 0;             ///< latest of these; 0 while none has
    std::int64_t firstForward = -1;   ///< of any rank
    std::int64_t lastBackward = -1;   ///< end of the last B, I or W of any rank
    std::int64_t busy = 0;            ///< compute lanes of all ranks together
    std::int64_t moved = 0;           ///< bytes that all ranks together sent (SentBytes)
    std::int64_t withoutDetails = 0;  ///< ranks whose program recorded none of the step's spans but its own
    double loss = 0;                  ///< NaN until known
    std::optional<double> validation;  ///< loss of the validation that followed it
    /// Wall time of the step: latest end − earliest begin over ranks, seconds; 0 until all active ranks ended it.
    double seconds = 0;
    /// Idle share of the compute lanes from the step's first forward (of any rank) to its last backward, mean over
    /// active ranks.
    double bubble = 0;
    bool complete = false;  ///< every active rank's Step span has been seen
    /// Every rank's spans are known, as far as they were asked for: what is made of them may be compared.
    bool detailed() const { return withoutDetails == 0; }
    /// All of what was computed in it is known; else nothing is of its bubble.
    bool computes() const { return busy > 0 && detailed(); }

    /// Nothing is known of it yet.
    static StepSummary of(int step, int ranks, int active);
    static StepSummary of(int step, int ranks) { return of(step, ranks, ranks); }
    /// One that countsIn() and is of this step. `flushes`: as a Summarizer's.
    void add(const Event& event, bool flushes, const SentBytes& sent);
};

/// Whether an event is part of the figures of its step, or of what is outside steps: its rank is one of `ranks`, and
/// its times can be those of a run.
bool countsIn(const Event& event, int ranks);
/// The nanoseconds that a counter holds whose value is seconds.
std::int64_t nanosecondsOf(double seconds);

class Summarizer {
public:
    /// `flushes` false: steps overlap, as each rank has borders of its own. A step's seconds are then the mean of the
    /// ranks' own, and its bubble is the share of them in which the compute lane neither computes nor updates weights.
    explicit Summarizer(int ranks, bool flushes = true, SentBytes sent = {});
    /// Events of a lane ascend; lanes and ranks may come in any order, but a restart before what is done after it.
    /// Takes time in proportion to these events alone.
    void add(std::span<const Event> events);
    /// Figures that were stored, in place of events; replaces what is known of the step.
    void put(StepSummary step);
    /// Leaves out steps, ascending, with what may still come of them; what their validations found stays.
    void leaveOut(std::span<const int> steps);
    /// Ascending; only steps of which something is known.
    const std::vector<StepSummary>& steps() const { return steps_; }
    /// Median over complete steps without the first two (warm-up); 0 where there are none.
    double medianStepSeconds() const;
    // The same over those that are detailed().
    double medianBubble() const;
    double medianSentBytes() const;  ///< of a step, all ranks together
    /// Steps of which spans of some rank were not recorded.
    int withoutDetails() const;
    /// Any step does; else nothing is known of bubbles.
    bool computes() const;

    struct Validation {
        int step;
        double loss;
    };
    /// Ascending by step.
    const std::vector<Validation>& validations() const { return validations_; }

private:
    std::size_t find(std::int32_t step);
    void forgetFrom(std::int32_t step);
    bool isLeftOut(std::int32_t step) const;
    void addValidation(int step, double loss);
    template <class Figure>
    double medianOf(Figure StepSummary::*figure, bool detailed) const;

    int ranks_;
    bool flushes_;
    SentBytes sent_;
    Restarts restarts_;
    std::vector<StepSummary> steps_;
    std::vector<Validation> validations_;
    std::size_t last_ = 0;        ///< index of the step added to last
    std::int32_t wholeFrom_ = 0;  ///< before this step, those that are not known are left out
};

}  // namespace shardlab::trace
