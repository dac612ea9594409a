// SPDX-License-Identifier: Apache-2.0
// A worker of Hogwild. It trains step after step, without waiting, on weights that it shares with all others
// (shared_weights.h). Workers wait for each other only where the run must have one state: at its end, where it stops,
// and for a checkpoint. There they meet: all go on to the step of the worker that is furthest.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/run/executor.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/run_control.h"
#include "engine/train/run/shared_weights.h"
#include "engine/train/run/step_clock.h"

#include <functional>
#include <span>

namespace shardlab::train {

/// Everything must outlive the worker.
struct HogwildWorkerSetup {
    Communicator& workers;
    Executor& executor;
    SharedWeights& weights;
    Stage& stage;
    Arena& arena;
    RankTrace& trace;
    StepClock& clock;
    RunControl& control;              ///< commands to worker 0; others get none
    std::span<const Action> actions;  ///< the actions of one step
    int firstStep = 0, steps = 1;
    int microbatches = 1;
    std::function<MicrobatchTokens(std::int64_t step, int microbatch)> tokens;
    std::function<bool(int stepsDone)> due;  ///< whether a checkpoint is due; may be empty
    /// Collective. The weights are then alike on all workers, and nobody writes them.
    std::function<void(int stepsDone)> checkpoint;
    std::function<void(int step)> begins;
    /// Called on worker 0: `stepped` after each step, `validate` after each step for which `validatesAfter` holds
    /// (after the last step once all have met).
    std::function<void(int step, double loss, double gradientNorm, double seconds)> stepped;
    std::function<bool(int step)> validatesAfter;
    std::function<void()> validate;  ///< works on the weights in this worker's copy
};

class HogwildWorker {
public:
    explicit HogwildWorker(HogwildWorkerSetup setup)
        : setup_(std::move(setup)), step_(setup_.firstStep), taken_(setup_.firstStep) {}
    /// Trains until the last step is done or a command to worker 0 stops the run. Returns the number of steps done,
    /// which is the same on all workers. Every worker's copy then has the bits of the shared weights.
    int run();

private:
    bool leads() const { return setup_.workers.rank() == 0; }
    void obey();
    bool mustMeet() const;
    /// False: the run ends.
    bool meet();
    void step();
    void validate();

    HogwildWorkerSetup setup_;
    int step_;
    int taken_;             ///< steps done at the last checkpoint that was due
    bool granted_ = false;  ///< worker 0: the next step is allowed
    bool paused_ = false;   ///< worker 0: the run was paused before this step
    std::int64_t met_ = 0;  ///< meetings that have taken place because somebody asked for them
};

}  // namespace shardlab::train
