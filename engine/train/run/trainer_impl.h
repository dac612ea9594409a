// SPDX-License-Identifier: Apache-2.0
// The parts of a trainer: trainer.cpp makes them, trainer_steps.cpp trains with them.
#pragma once

#include "engine/train/run/trainer.h"

#include "engine/train/comm/scalars.h"
#include "engine/layout/exchange.h"
#include "engine/layout/flat_units.h"
#include "engine/layout/mesh/copies.h"
#include "engine/train/model/host_arena.h"
#include "engine/train/run/checkpointer.h"
#include "engine/layout/data/corpus.h"
#include "engine/train/run/elastic_centre.h"
#include "engine/train/run/executor.h"
#include "engine/train/run/host_copies.h"
#include "engine/train/run/operation_trace.h"
#include "engine/train/run/placement.h"
#include "engine/train/run/run_control.h"
#include "engine/train/run/shared_weights.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace shardlab::train {

class Trainer::Impl {
public:
    Impl(const StepPlan& plan, TrainerServices services, Corpus corpus, std::int64_t began);

    /// Loads the weights that the layout names, if it names any.
    Status startWeights();
    /// Loads state and position from a checkpoint.
    Status resume(const std::filesystem::path& checkpoint);
    std::string run();
    std::int64_t firstStep() const { return firstStep_; }
    const RankStages& stages() const { return stages_; }

private:
    Sampler makeSampler() const;
    std::unique_ptr<StepClock> makeClock();
    /// The tensor group for arrays of the arena, whose memory `members` reach.
    std::unique_ptr<TensorGroup> makeTensorGroup(const LayerObservers& observers, Arena& arena, Communicator& members);
    std::unique_ptr<ContextGroup> makeContextGroup(const LayerObservers& observers);
    std::unique_ptr<ExpertGroup> makeExpertGroup(const LayerObservers& observers);
    void beginStep(int step);
    void step(int step);
    std::string train();
    int trainAsynchronously();
    int trainWithoutLock();
    void recordPacked();
    /// `gradientNorm` is empty where it is not known.
    void recordStep(int step, double loss, std::optional<double> gradientNorm, double seconds);
    void recordExposedComm();
    void takeCheckpoint(std::int64_t stepsDone);
    void compareReplicas();
    void finishCheckpoint();
    void validate();
    bool validatesAfter(int step) const;
    void startTogether();
    void leave();
    std::span<const Action> mine(const Schedule& schedule) const {
        return schedule.ranks[static_cast<std::size_t>(place_.pipelineRank)];
    }
    /// How many step boundaries ahead rank 0 decides, so that nobody waits at one: as many as a microbatch crosses on
    /// its way through the pipeline.
    static int stepsAhead(const Schedule& schedule) {
        const int ranks = static_cast<int>(schedule.ranks.size());
        return schedule.flushes() ? 0 : (ranks + schedule.microbatches - 1) / schedule.microbatches;
    }
    /// Carries out this rank's list of one step; without the microbatches that lie beyond the moment at which the
    /// pipeline is empty.
    Executed runList(int step);
    /// The steps done when the pipeline is empty next, where steps are not flushed: a checkpoint is due, or the run
    /// ends.
    int nextEmpty(int step) const;
    /// Lets the pipeline run empty as soon as what is on its way after `step` steps allows. False: nothing is.
    bool emptySoon(int step);
    /// To be called where the pipeline is empty; where steps are not flushed, the next one fills it again.
    void refill(int step);
    /// Remainders of gradients with the loss scale `before` become those of gradients with the present one.
    void scaleRemainders(float before);
    void moveChoiceBias(Stage& stage, const ExpertLoad& load);
    /// Mean over the global batch; collective over the replicas of the last stage.
    double meanLoss(double lossSum, int microbatches) {
        return sum(*place_.data, lossSum / microbatches) / place_.data->size();
    }
    /// The state for checkpoints, which a server writes alone.
    TrainingState state() {
        if (updatesAtServer(layout_.parallel)) return {stages_, device(), 0, {place_.replicaNumber, 1}};
        if (elastic_) return {stages_, device(), 0, {place_.contextRank, 1}, {}, {}, elastic_.get()};
        const int members = place_.experts->size(), replicas = place_.data->size();
        return {stages_,
                device(),
                layout_.parallel.zero,
                {place_.replicaNumber, replicas},
                {place_.replicaNumber / members, replicas / members},
                {place_.replicaNumber / replicasOfCopy(layout_.parallel), copyCount(layout_.parallel)}};
    }
    Exchange exchange() const { return layout_.parallel.exchange; }
    /// Updates of one replica's weights in the whole run.
    int updates() const { return layout_.run.steps * plan_.lowered.updates * updatesOfStep(layout_.parallel); }
    /// Whether this rank's replica updates its weights.
    bool serves() const { return !updatesAtServer(layout_.parallel) || place_.replicaNumber == 0; }
    DirectExchange directExchange();
    Device& device() { return observed_ ? *observed_ : computing(); }
    Device& computing() { return services_.device ? *services_.device : *processor_; }
    FileSystem& files() { return services_.files ? *services_.files : disk_; }
    /// The sampler of validation: a rank that validates alone takes whole batches.
    const Sampler& validating() const { return whole_ ? *whole_ : sampler_; }
    /// Whether this is the one rank that records losses.
    bool reports() const { return place_.holdsLast && place_.replicaNumber == 0 && place_.tensorRank == 0; }

    const StepPlan plan_;
    const Layout& layout_;
    DiskFileSystem disk_;
    std::int64_t firstStep_ = 0;
    TrainerServices services_;
    std::int64_t began_;
    Corpus corpus_;
    const std::unique_ptr<Device> processor_ = makeCpuDevice();
    const std::unique_ptr<ObservedDevice> observed_;  ///< null where no operations are recorded
    Arena arena_;                                     // declared before everything that holds its buffers
    RankTrace trace_;
    const std::unique_ptr<OperationTrace> operations_;  ///< null where observed_ is
    const DirectExchange direct_;
    Placement place_;
    LossScale scale_;
    Sampler sampler_;
    std::optional<Sampler> whole_;
    Schedule validation_;
    int validationFrom_ = 0;  ///< number of its first microbatch, above those that are in flight meanwhile
    RunControl control_;
    EarlyDecisions decisions_;
    bool filled_ = false;   ///< where steps are not flushed: whether the pipeline has been filled
    int empties_ = 0;       ///< the steps done when it is empty next
    bool together_ = true;  ///< whether the ranks have waited for each other since the last step
    const std::unique_ptr<StepClock> clock_;
    std::unique_ptr<TensorGroup> tensor_;
    std::unique_ptr<ContextGroup> context_;    ///< null where no ranks share the tokens of a sample
    std::unique_ptr<ExpertGroup> experts_;     ///< null where no other replica has other experts
    std::unique_ptr<HostArena> host_;          ///< null where nothing of this rank is on its device's host
    std::unique_ptr<TensorGroup> hostTensor_;  ///< of an optimizer on the host; null where there is none
    RankStages stages_;
    std::unique_ptr<DataParallelComm> dataParallel_;
    std::unique_ptr<HostCopies> hostCopies_;
    std::unique_ptr<ElasticCentre> elastic_;
    std::unique_ptr<SharedWeights> shared_;
    std::optional<Transfers> transfers_;
    std::optional<Executor> executor_;
    std::optional<Checkpointer> checkpoints_;
};

}  // namespace shardlab::train
