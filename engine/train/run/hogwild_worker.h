// SPDX-License-Identifier: Apache-2.0
// A worker of Hogwild: step after step at its own pace, on weights that it shares with all others (shared_weights.h).
// Workers wait for each other only where there must be one state of the run: at its end, where it stops, and for a
// checkpoint. There they meet: all go on to the step of whoever is furthest.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/run/executor.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/run_control.h"
#include "engine/train/run/shared_weights.h"
#include "engine/train/run/step_clock.h"

#include <functional>
#include <span>

namespace shardlab {

/// Everything must outlive the worker.
struct HogwildWorkerSetup {
    Communicator& workers;
    Executor& executor;
    SharedWeights& weights;
    Stage& stage;
    Arena& arena;
    RankTrace& trace;
    StepClock& clock;
    RunControl& control;              ///< worker 0's commands; others have none
    std::span<const Action> actions;  ///< of a step
    int firstStep = 0, steps = 1;
    int microbatches = 1;
    std::function<MicrobatchTokens(std::int64_t step, int microbatch)> tokens;
    std::function<bool(int stepsDone)> due;  ///< a checkpoint; may be empty
    /// Collective, of weights that are alike on all workers and that nobody writes meanwhile.
    std::function<void(int stepsDone)> checkpoint;
    std::function<void(int step)> begins;
    /// Worker 0's, after a step and after a step that validates; the last one's when all have met.
    std::function<void(int step, double loss, double gradientNorm, double seconds)> stepped;
    std::function<bool(int step)> validatesAfter;
    std::function<void()> validate;  ///< the weights in this worker's copy
};

class HogwildWorker {
public:
    explicit HogwildWorker(HogwildWorkerSetup setup)
        : setup_(std::move(setup)), step_(setup_.firstStep), taken_(setup_.firstStep) {}
    /// Until the last step is done or worker 0 was told to stop. Returns the steps that are done, the same on all; the
    /// weights of all copies are then those that are shared, to the bit.
    int run();

private:
    bool leads() const { return setup_.workers.rank() == 0; }
    void obey();
    bool mustMeet() const;
    /// False: it ends.
    bool meet();
    void step();
    void validate();

    HogwildWorkerSetup setup_;
    int step_;
    int taken_;             ///< steps done at the last checkpoint that was due
    bool granted_ = false;  ///< worker 0: the next step is allowed
    bool paused_ = false;   ///< worker 0: the step before was waited for
    std::int64_t met_ = 0;  ///< meetings that were asked for and held
};

}  // namespace shardlab
