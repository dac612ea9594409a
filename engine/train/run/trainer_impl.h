// SPDX-License-Identifier: Apache-2.0
// What a trainer holds: made in trainer.cpp, trained with in trainer_steps.cpp.
#pragma once

#include "engine/train/run/trainer.h"

#include "engine/train/comm/scalars.h"
#include "engine/layout/exchange.h"
#include "engine/train/model/host_arena.h"
#include "engine/train/run/checkpointer.h"
#include "engine/train/run/corpus.h"
#include "engine/train/run/elastic_centre.h"
#include "engine/train/run/executor.h"
#include "engine/train/run/host_copies.h"
#include "engine/train/run/placement.h"
#include "engine/train/run/run_control.h"
#include "engine/train/run/shared_weights.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace shardlab {

class Trainer::Impl {
public:
    Impl(const Plan& plan, TrainerServices services, Corpus corpus, std::int64_t began);

    /// Takes the weights that the layout names, if it names any.
    Status startWeights();
    /// Takes state and position from a checkpoint.
    Status resume(const std::filesystem::path& checkpoint);
    std::string run();
    std::int64_t firstStep() const { return firstStep_; }
    const RankStages& stages() const { return stages_; }

private:
    Sampler makeSampler() const;
    std::unique_ptr<StepClock> makeClock();
    std::unique_ptr<TensorGroup> makeTensorGroup(const LayerObservers& observers);
    std::unique_ptr<ContextGroup> makeContextGroup(const LayerObservers& observers);
    std::unique_ptr<ExpertGroup> makeExpertGroup(const LayerObservers& observers);
    void beginStep(int step);
    void step(int step);
    std::string train();
    int trainAsynchronously();
    int trainWithoutLock();
    void tellPacked();
    /// `gradientNorm` empty: unknown.
    void tellStep(int step, double loss, std::optional<double> gradientNorm, double seconds);
    void tellBesideCompute();
    void takeCheckpoint(std::int64_t stepsDone);
    void finishCheckpoint();
    void validate();
    bool validatesAfter(int step) const;
    void startTogether();
    void leave();
    std::span<const Action> mine(const Schedule& schedule) const {
        return schedule.ranks[static_cast<std::size_t>(place_.pipelineRank)];
    }
    /// Borders before which rank 0 decides, so that nobody waits there: those that a microbatch's way through the
    /// pipeline reaches over.
    static int stepsAhead(const Schedule& schedule) {
        const int ranks = static_cast<int>(schedule.ranks.size());
        return schedule.flushes() ? 0 : (ranks + schedule.microbatches - 1) / schedule.microbatches;
    }
    /// This rank's list of one step: near the run's end without what lies beyond it.
    Executed runList(int step);
    /// Mean over the global batch; collective over the replicas of the last stage.
    double meanLoss(double lossSum, int microbatches) {
        return sum(*place_.data, lossSum / microbatches) / place_.data->size();
    }
    /// A server writes checkpoints alone.
    TrainingState state() {
        if (updatesAtServer(layout_.parallel)) return {stages_, device(), 0, place_.dataRank, 1};
        const int members = place_.experts->size(), replicas = place_.data->size();
        return {stages_,
                device(),
                layout_.parallel.zero,
                place_.replicaNumber,
                replicas,
                {place_.replicaNumber / members, replicas / members}};
    }
    Exchange exchange() const { return exchangeOf(layout_.parallel); }
    /// Of the run, of one replica's weights.
    int updates() const { return layout_.run.steps * plan_.lowered.updates * updatesOfStep(layout_.parallel); }
    /// Its replica updates.
    bool serves() const { return !updatesAtServer(layout_.parallel) || place_.dataRank == 0; }
    DirectExchange directExchange();
    Device& device() { return services_.device ? *services_.device : *processor_; }
    FileSystem& files() { return services_.files ? *services_.files : disk_; }
    /// Where one rank validates alone, it takes the whole batches.
    const Sampler& validating() const { return whole_ ? *whole_ : sampler_; }
    /// The one rank that tells of losses.
    bool reports() const { return place_.holdsLast && place_.replicaNumber == 0 && place_.tensorRank == 0; }

    const Plan plan_;
    const Layout& layout_;
    DiskFileSystem disk_;
    std::int64_t firstStep_ = 0;
    TrainerServices services_;
    std::int64_t began_;
    Corpus corpus_;
    const std::unique_ptr<Device> processor_ = makeCpuDevice();
    Arena arena_;  // before everything that holds its buffers
    RankTrace trace_;
    const DirectExchange direct_;
    Placement place_;
    LossScale scale_;
    Sampler sampler_;
    std::optional<Sampler> whole_;
    Schedule validation_;
    int validationFrom_ = 0;  ///< its microbatches are numbered from here, beyond those in flight meanwhile
    RunControl control_;
    Foresight foresight_;
    bool filled_ = false;   ///< where steps are not flushed: the fill is done
    bool together_ = true;  ///< the ranks waited for each other since the last step
    const std::unique_ptr<StepClock> clock_;
    std::unique_ptr<TensorGroup> tensor_;
    std::unique_ptr<ContextGroup> context_;  ///< null where nobody shares the tokens of a sample
    std::unique_ptr<ExpertGroup> experts_;   ///< null where this rank holds all experts
    std::unique_ptr<HostArena> host_;        ///< null where nothing of this rank is on its device's host
    RankStages stages_;
    std::unique_ptr<DataParallelComm> dataAxis_;
    std::unique_ptr<HostCopies> hostCopies_;
    std::unique_ptr<ElasticCentre> elastic_;
    std::unique_ptr<SharedWeights> shared_;
    std::optional<Transfers> transfers_;
    std::optional<Executor> executor_;
    std::optional<Checkpointer> checkpoints_;
};

}  // namespace shardlab
