// SPDX-License-Identifier: Apache-2.0
// A worker of an asynchronous parameter server (async_server.h). It computes gradient after gradient and waits for
// no other worker.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/run/async_messages.h"
#include "engine/train/run/executor.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/step_clock.h"

#include <functional>
#include <vector>

namespace shardlab::train {

/// Everything must outlive the worker.
struct AsyncWorkerSetup {
    Communicator& data;  ///< its rank 0 is the server
    Executor& executor;
    RankStage& stage;
    Arena& arena;
    RankTrace& trace;
    const StepCosts& costs;
    StepClock& clock;
    std::vector<Action> gradient;  ///< the actions that compute one gradient
    Action push, pull;
    std::function<void(int step)> begins;
    std::function<MicrobatchTokens(std::int64_t gradient, int microbatch)> tokens;
};

class AsyncWorker {
public:
    explicit AsyncWorker(AsyncWorkerSetup setup) : setup_(std::move(setup)) {}
    /// Works until the server says that the run ends. Returns the number of steps done. A step ends when the worker
    /// gets to know that the step's last update is done, which other ranks know at other times.
    int run();

private:
    /// Pushes the gradient and pulls the weights. False: the run ends.
    bool exchange(double lossSum);
    bool awaitLock(double lossSum);
    void takeWeights();
    void endSteps(std::int64_t version);

    AsyncWorkerSetup setup_;
    std::int64_t version_ = 0;  ///< number of updates in this rank's weights
    int step_ = 0;
    std::int64_t stepBegan_ = 0;
};

}  // namespace shardlab::train
