// SPDX-License-Identifier: Apache-2.0
// An asynchronous parameter server: one rank that holds weights and optimizer, and takes the workers' gradients one at
// a time in the order of their requests. This order decides what is learned. It is recorded: each update has a
// Staleness counter with the worker's replica.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/run/async_messages.h"
#include "engine/train/run/executor.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/run_control.h"
#include "engine/train/run/step_clock.h"

#include <deque>
#include <functional>
#include <vector>

namespace shardlab::train {

/// Everything must outlive the server.
struct AsyncServerSetup {
    Communicator& data;  ///< rank 0 is the server, all others are workers
    Executor& executor;
    Stage& stage;  ///< workers push gradients into its gradient block
    Arena& arena;
    RankTrace& trace;
    const StepCosts& costs;
    StepClock& clock;
    RunControl& control;
    std::vector<Action> update;  ///< the actions for one gradient
    int steps = 1;
    int microbatches = 1;  ///< microbatches that make one gradient
    std::function<void(int step)> begins;
    std::function<void(int step, double loss, double gradientNorm, double seconds)>
        stepped;                       ///< means over the step's updates
    std::function<void()> checkpoint;  ///< called when somebody asks for a checkpoint
};

class AsyncServer {
public:
    explicit AsyncServer(AsyncServerSetup setup);
    /// Serves until the last step is done or a command stops the run, and lets every worker know. Returns the number of
    /// steps done.
    int run();

private:
    struct Waiting {
        GradientRequest request;
        RequestPtr message;
        bool released = false;  ///< the worker knows that the run ends
    };

    Decision decide();
    int nextWorker();
    void serve(int worker);
    void receiveGradient(int worker, const Action& push);
    void sendWeights(int worker, const Action& pull);
    void dismiss(int worker);
    bool isLast() const { return version_ == std::int64_t{setup_.steps} * (setup_.data.size() - 1); }
    void endStep(int step);
    void release();

    AsyncServerSetup setup_;
    std::vector<Waiting> workers_;  ///< by replica; the server's own entry is empty
    std::deque<int> asking_;        ///< workers whose requests have come, in order
    std::int64_t version_ = 0;      ///< updates done
    double losses_ = 0;             ///< sum over the step's updates
    double norms_ = 0;
    std::int64_t stepBegan_ = 0;
};

}  // namespace shardlab::train
