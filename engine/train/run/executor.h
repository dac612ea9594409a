// SPDX-License-Identifier: Apache-2.0
// Interprets a lowered schedule: the list of actions of one pipeline rank, one by one, whatever schedule it came from.
#pragma once

#include "engine/predict/plan/costs.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/model/stage.h"
#include "engine/train/optim/optimizer.h"
#include "engine/train/optim/optimizer_host.h"
#include "engine/layout/schedule/schedule.h"
#include "engine/train/run/data_parallel_comm.h"
#include "engine/train/run/loss_scale.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/sampler.h"
#include "engine/train/run/step_clock.h"
#include "engine/train/run/transfers.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace shardlab {

class ElasticCentre;
class HostCopies;
class SharedWeights;

/// A global stage that lies on this rank.
struct RankStage {
    std::unique_ptr<Stage> stage;
    std::unique_ptr<Optimizer> optimizer = nullptr;
    StageShards* shards = nullptr;               ///< ZeRO: this replica's
    std::unique_ptr<HostMirror> host = nullptr;  ///< ZeRO-Offload: where the optimizer updates

    /// What this replica updates, with its gradients: the parameters, or their shards. The optimizer's state is in
    /// their order.
    std::span<Parameter> owned() { return shards ? shards->owned() : stage->parameters(); }
    /// Where the optimizer finds it: on the host, or there.
    std::span<Parameter> updated() { return host ? host->parameters() : owned(); }
    void zeroGradients() { shards ? shards->zeroGradients() : stage->zeroGradients(); }
};

struct ExecutorSetup {
    std::map<int, RankStage>& stages;  ///< by global stage
    Arena& arena;                      ///< theirs
    int stageCount = 1;                ///< of the whole pipeline
    Communicator& replica;             ///< ranks that together hold each weight once
    Communicator& data;                ///< ranks that hold the same weights
    Communicator& context;
    Communicator& experts;  ///< ranks that together hold all experts once
    Communicator& tensor;
    Communicator* tied = nullptr;  ///< of the ranks of first and last stage; null where no list has ReduceTied
    Transfers& transfers;
    RankTrace& trace;
    const StepCosts& costs;
    double clip = 0;
    LossScale& scale;
    float gradientScale = 1;  ///< of each microbatch's loss gradient: the loss's weight ÷ (microbatches · replicas)
    StepClock& clock;
    int updates = 1;                       ///< of each stage in a step
    bool flushes = true;                   ///< false: what a list leaves under way goes on in the next, see border()
    bool serves = true;                    ///< its replica updates; false: the server does, and sends the weights
    ElasticCentre* elastic = nullptr;      ///< null where no list has ExchangeElastic
    SharedWeights* shared = nullptr;       ///< of Hogwild's workers; null elsewhere
    DataParallelComm* dataAxis = nullptr;  ///< null where nothing runs beside compute
    HostCopies* hostCopies = nullptr;      ///< null where nothing lies on the host
};

/// What a list of actions left to be known.
struct Executed {
    double lossSum = 0;       ///< over the microbatches; on the last stage's rank
    double gradientNorm = 0;  ///< before clipping, of the whole model; 0 where no list has ReduceNorm
    bool overflow = false;    ///< a gradient was not finite: nothing was updated
};

class Executor {
public:
    /// `tokens(j)`: the microbatch's tokens, called once for each microbatch in a list.
    using Tokens = std::function<MicrobatchTokens(int microbatch)>;

    explicit Executor(ExecutorSetup setup);

    /// One training step; `step` counts from 0.
    Executed train(std::span<const Action> actions, int step, const Tokens& tokens);
    /// Between two steps that are not flushed: the numbers of microbatches and weight versions fall by those of a step.
    void border(int microbatches);
    /// At the end of the run: waits for what is on its way, drops what nobody will use.
    void abandon();
    /// A forward-only list; nothing is kept, and the clock is the unmodelled one.
    Executed evaluate(std::span<const Action> actions, const Tokens& tokens);

private:
    void compute(const Action& action);
    Buffer input(const Action& action);
    void work(const Action& action, Buffer input);
    void carryOut(const Action& action, Buffer input);
    void reduce(const Action& action);
    /// Between the members of a group who have met.
    void exchange(const Action& action, Communicator& group);
    /// That leave this rank.
    std::int64_t leavingBytes(const Action& action) const;
    void readNorm(Communicator& replica);
    void exchangeElastic(const Action& action);
    void readShared(const Action& action);
    void updateShared(int number);
    void update(const Action& action);
    /// Of all stages of the model; not finite where a gradient is not.
    double squaredNorm(Communicator& replica);
    void tellOverflow();
    void tellOverflowOfSum();
    void tellExponents();
    void stash(const Action& action);
    void free(const Action& action);
    void tellVersions();
    void useClock(StepClock& clock);
    /// The members of a tensor, a context or an expert group go through their lists together, on the clock too.
    void align();
    RankStage& at(const Action& action);
    TokenBatch batch(int microbatch);

    ExecutorSetup setup_;
    StepClock* clock_;
    const Tokens* tokens_ = nullptr;
    std::map<int, MicrobatchTokens> microbatches_;  ///< of the list under way
    std::map<std::pair<int, int>, Buffer> kept_;    ///< weights by stage and version
    std::map<int, int> updatesDone_;                ///< by stage, in the list under way
    Executed executed_;
    std::vector<const double*> losses_;  ///< of the list's microbatches; to be read when the device has come to its end
    std::deque<double> evaluated_;       ///< those that are no stage's
    int step_ = 0;
    float clipping_ = 1;  ///< what gradients are multiplied by in the update
    Buffer overflow_;     ///< mark of the first gradient that is not finite; empty where no loss is scaled
    bool evaluating_ = false;
};

}  // namespace shardlab
