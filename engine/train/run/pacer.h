// SPDX-License-Identifier: Apache-2.0
// Paced runs: a rank does its real mathematics, then waits until the modelled device would have finished. It keeps a
// model clock, which follows the rules of plan/simulate.h; waits have absolute targets, so jitter does not add up.
#pragma once

#include "engine/predict/plan/costs.h"
#include "engine/trace/record/recorder.h"

#include <cstdint>
#include <map>

namespace shardlab {

class Pacer {
public:
    /// Real work may end so much later than the modelled action before the model clock is moved on (an overrun): less,
    /// such as a slow wake-up on a busy core, is made up by the next action, which ends on time again. Work that is
    /// always too slow adds up and becomes an overrun.
    static constexpr std::int64_t toleranceNanoseconds = 2'000'000;
    static constexpr double toleranceShare = 0.5;  ///< of the action, where that is more

    /// `coresFree`: waits may spin for their last microseconds. Both references must outlive the pacer.
    Pacer(const Recorder& clock, const StepCosts& costs, bool coresFree);

    /// The model clock, in nanoseconds of the run's clock: when the compute lane is free.
    std::int64_t clock() const { return clock_; }
    /// What this rank proposes as the start of the next step: not before now.
    std::int64_t proposedStart() const;
    void beginStep(std::int64_t start) { clock_ = start; }

    /// An action that needs a message starts when both lane and message are there; 0 = needs none. Sleeps until then.
    void waitForArrival(std::int64_t arrival);
    std::int64_t duration(const Action& action) const;  ///< nanoseconds
    /// From now on computing takes so many times as long.
    void setSlowdown(double factor) { slowdown_ = factor; }
    double slowdown() const { return slowdown_; }
    /// Call when an action's real work is done: sleeps until its modelled end. Returns the overrun in seconds, by which
    /// the model clock was moved on, or 0.
    double completeAt(std::int64_t end);

    struct Transfer {
        std::int64_t begin = 0;
        std::int64_t arrival = 0;
    };
    /// A send reached now: messages to one peer queue, one after another.
    Transfer send(const Action& send, int peer);

    void sleepUntil(std::int64_t runTime) const;

private:
    const Recorder& recorder_;
    const StepCosts& costs_;
    bool coresFree_;
    std::int64_t clock_ = 0;
    double slowdown_ = 1;
    std::map<int, std::int64_t> linkFree_;  ///< by peer
};

}  // namespace shardlab
