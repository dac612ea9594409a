// SPDX-License-Identifier: Apache-2.0
// Carries out the actions that a lowered schedule lists for one pipeline rank, whatever schedule the list came from.
#pragma once

#include "engine/predict/plan/step_plan.h"
#include "engine/train/run/data_parallel_comm.h"
#include "engine/train/run/gradient_check.h"
#include "engine/train/run/loss_scale.h"
#include "engine/train/run/rank_groups.h"
#include "engine/train/run/rank_stage.h"
#include "engine/train/run/rank_trace.h"
#include "engine/layout/data/sampler.h"
#include "engine/train/run/step_clock.h"
#include "engine/train/run/transfers.h"
#include "engine/train/run/weight_versions.h"

#include <deque>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace shardlab::train {

class ElasticCentre;
class HostCopies;
class SharedWeights;

/// Everything that is named outlives the executor.
struct ExecutorSetup {
    const StepPlan& plan;  ///< the lists of actions are its lowered schedule's, or those of a validation
    RankStages& stages;
    Arena& arena;  ///< where the stages lie
    RankGroups groups;
    RankTrace& trace;
    StepClock& clock;
    const LossScale& scale;
    Transfers& transfers;
    ElasticCentre* elastic = nullptr;          ///< null where no list has ExchangeElastic
    SharedWeights* shared = nullptr;           ///< a Hogwild worker's; null elsewhere
    DataParallelComm* dataParallel = nullptr;  ///< null where nothing is exchanged beside compute
    HostCopies* hostCopies = nullptr;          ///< null where nothing lies on the host
};

/// The results of a list of actions.
struct Executed {
    double lossSum = 0;        ///< over the microbatches; on the last stage's rank
    double predictionSum = 0;  ///< over the microbatches, of the modules' mean loss (Stage::predictionLosses)
    double gradientNorm = 0;   ///< before clipping, of the whole model; 0 where no list has ReduceNorm
    bool overflow = false;     ///< a gradient was not finite: nothing was updated
};

class Executor {
public:
    /// `tokens(j)`: the microbatch's tokens, called once for each microbatch in a list.
    using Tokens = std::function<MicrobatchTokens(int microbatch)>;

    explicit Executor(ExecutorSetup setup);

    /// One training step; `step` counts from 0.
    Executed train(std::span<const Action> actions, int step, const Tokens& tokens);
    /// To be called between two steps that are not flushed: lowers the numbers of microbatches, and of weight versions,
    /// by those of one step.
    void crossStepBoundary(int microbatches);
    /// Where steps are not flushed, after the last microbatch that was begun: no version of the weights is needed.
    void empty();
    /// To be called at the end of the run: waits for what is on its way, and drops what nobody will use.
    void abandon();
    /// A forward-only list; nothing is kept, and the clock is the unmodelled one.
    Executed evaluate(std::span<const Action> actions, const Tokens& tokens);

private:
    void carryOut(const Action& action);
    void compute(const Action& action);
    Buffer input(const Action& action);
    /// Computes with the stage's weights as they are.
    void computeStage(const Action& action, Buffer received);
    void forward(const Action& action, Buffer received);
    void backward(const Action& action, Buffer received);
    void reduce(const Action& action);
    /// Exchanges between the members of a group who have met.
    void exchange(const Action& action, Communicator& group);
    /// Bytes that the exchange sends from this rank.
    std::int64_t leavingBytes(const Action& action) const;
    void exchangeElastic(const Action& action);
    void readShared(const Action& action);
    void updateShared(int number);
    void update(const Action& action);
    void finishList();
    void useClock(StepClock& clock);
    /// The members of a tensor, a context or an expert group go through their lists together, on the clock too.
    void align() { clock_->align({&setup_.groups.tensor, &setup_.groups.context, &setup_.groups.experts}); }
    /// Whether this replica updates its weights; else a server does and sends them.
    bool updatesItself() const;
    bool isLast(const Action& action) const { return action.stage == setup_.plan.lowered.stages() - 1; }
    RankStage& at(const Action& action);
    TokenBatch batch(int microbatch);

    ExecutorSetup setup_;
    StepClock* clock_;
    GradientCheck gradientCheck_;
    WeightVersions versions_;
    const float lossGradientScale_;  ///< of each microbatch: the loss's weight ÷ (microbatches · replicas)

    // The list under way.
    int step_ = 0;
    bool evaluating_ = false;
    const Tokens* tokens_ = nullptr;
    std::map<int, MicrobatchTokens> microbatches_;
    std::map<int, int> updatesDone_;  ///< by stage
    CheckedGradients gradients_;
    std::vector<std::span<const double>> predictions_;  ///< the losses of modules, for each microbatch
    std::vector<const double*> losses_;  ///< of the microbatches; to be read when the device has come to its end
    std::deque<double> evaluated_;       ///< the losses that no stage holds
};

}  // namespace shardlab::train
