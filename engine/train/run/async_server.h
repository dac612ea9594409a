// SPDX-License-Identifier: Apache-2.0
// An asynchronous parameter server: one rank that holds weights and optimizer, and takes the workers' gradients one at
// a time, in the order in which they ask. Nothing but that order decides what is learned, and it is recorded: one
// Staleness counter an update, with the worker's replica.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/run/async_messages.h"
#include "engine/train/run/executor.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/run_control.h"
#include "engine/train/run/step_clock.h"

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace shardlab {

/// Everything must outlive the server.
struct AsyncServerSetup {
    Communicator& data;  ///< rank 0 is this one, all others are workers
    Executor& executor;
    Stage& stage;  ///< its gradient block takes what workers push
    Arena& arena;
    RankTrace& trace;
    const StepCosts& costs;
    StepClock& clock;
    RunControl& control;
    std::vector<Action> update;  ///< what is done with one gradient
    int steps = 1;
    int microbatches = 1;  ///< of one gradient
    std::function<void(int step)> begins;
    std::function<void(int step, double loss, double gradientNorm, double seconds)> stepped;  ///< mean over its updates
    std::function<void()> checkpoint;                                                         ///< it was asked for
};

class AsyncServer {
public:
    explicit AsyncServer(AsyncServerSetup setup);
    /// Until the last step is done or it was told to stop; then every worker has been told. Returns the steps done.
    int run();

private:
    struct Waiting {
        GradientRequest request;
        RequestPtr message;
        bool released = false;  ///< it was told that the run ends
    };

    Decision decide();
    int nextWorker();
    void serve(int worker);
    void take(int worker, const Action& push);
    void giveBack(int worker, const Action& pull);
    void dismiss(int worker);
    bool isLast() const { return version_ == std::int64_t{setup_.steps} * (setup_.data.size() - 1); }
    void endStep(int step);
    void release();

    AsyncServerSetup setup_;
    std::vector<Waiting> workers_;  ///< by replica; the first is empty
    std::deque<int> asking_;        ///< those whose requests have come, in order
    std::int64_t version_ = 0;      ///< updates done
    double losses_ = 0;             ///< of the step's updates
    double norms_ = 0;
    std::int64_t stepBegan_ = 0;
};

}  // namespace shardlab
