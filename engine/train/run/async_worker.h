// SPDX-License-Identifier: Apache-2.0
// A worker of an asynchronous parameter server (async_server.h): gradient after gradient, at its own pace.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/run/async_messages.h"
#include "engine/train/run/executor.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/step_clock.h"

#include <functional>
#include <span>
#include <vector>

namespace shardlab {

/// Everything must outlive the worker.
struct AsyncWorkerSetup {
    Communicator& data;  ///< its rank 0 is the server
    Executor& executor;
    RankStage& stage;
    Arena& arena;
    RankTrace& trace;
    const StepCosts& costs;
    StepClock& clock;
    std::vector<Action> gradient;  ///< what makes one
    Action push, pull;
    std::function<void(int step)> begins;
    std::function<MicrobatchTokens(std::int64_t gradient, int microbatch)> tokens;
};

class AsyncWorker {
public:
    explicit AsyncWorker(AsyncWorkerSetup setup) : setup_(std::move(setup)) {}
    /// Until the server says that it ends. Returns the steps that are done. A step ends where the worker learns that
    /// its last update is done: other ranks' borders lie at other times.
    int run();

private:
    /// False: it ends.
    bool exchange(double lossSum);
    bool awaitLock(double lossSum);
    void takeWeights();
    void passBorders(std::int64_t version);

    AsyncWorkerSetup setup_;
    std::int64_t version_ = 0;  ///< updates that this rank's weights have seen
    int step_ = 0;
    std::int64_t stepBegan_ = 0;
};

}  // namespace shardlab
