// SPDX-License-Identifier: Apache-2.0
#include "engine/train/trainer.h"

#include "engine/base/clock.h"
#include "engine/checkpoint/resume.h"
#include "engine/comm/scalars.h"
#include "engine/optim/learning_rate.h"
#include "engine/layout/model_shape.h"
#include "engine/model/host_copy.h"
#include "engine/parallel/data.h"
#include "engine/parallel/tensor.h"
#include "engine/schedule/passes.h"
#include "engine/train/checkpointer.h"
#include "engine/train/corpus.h"
#include "engine/train/executor.h"
#include "engine/train/placement.h"
#include "engine/train/run_control.h"

#include <optional>
#include <utility>

namespace shardlab {

namespace {

EventKind eventKind(TensorCollective::Kind kind) {
    switch (kind) {
        case TensorCollective::Kind::AllReduce: return EventKind::TensorAllReduce;
        case TensorCollective::Kind::ReduceScatter: return EventKind::TensorReduceScatter;
        case TensorCollective::Kind::AllGather: return EventKind::TensorAllGather;
    }
    return EventKind::None;
}

}  // namespace

class Trainer::Impl {
public:
    Impl(const Plan& plan, TrainerServices services, Corpus corpus, std::int64_t began)
        : plan_(plan), layout_(plan_.layout), services_(std::move(services)), began_(began), corpus_(std::move(corpus)),
          arena_(device()), trace_(services_.recorder, services_.status, arena_, services_.flight),
          direct_(directExchange()), place_(place(plan_, services_.world, device(), direct_)), scale_(layout_.precision),
          sampler_(corpus_, layout_, place_.dataRank), control_(services_.takeCommand),
          foresight_(services_.world, control_, stepsAhead(plan_.lowered)) {
        trace_.doing(RankPhase::Setup);
        if (layout_.cluster.pace) pacer_.emplace(services_.recorder, plan_.costs, services_.coresFree);
        Pacer* const pacer = pacer_ ? &*pacer_ : nullptr;
        tensor_ = makeTensorGroup();
        stages_ = makeStages(plan_, place_.pipelineRank, arena_, *tensor_, recomputeObserver());
        dataAxis_ = makeDataAxis(plan_, place_, stages_, arena_, trace_, pacer);
        makeOptimizers({layout_.optimizer, layout_.run.steps * plan_.lowered.updates,
                        numberFormats(layout_.precision).master},
                       stages_, arena_);
        const auto boundary = static_cast<std::size_t>(
            boundaryFloats(layout_.model, layout_.batch.micro, tensorShare(layout_, place_.tensorRank)));
        transfers_.emplace(TransferSetup{*place_.pipeline, plan_.lowered.rankOfStage, place_.pipelineMembers, boundary,
                                         Types(numberFormats(layout_.precision)).activations,
                                         arena_, trace_, pacer, services_.loses});
        executor_.emplace(ExecutorSetup{stages_, arena_, plan_.lowered.stages(), *place_.replica, *place_.data,
                                        *place_.tensor, place_.tied.get(), *transfers_, trace_, plan_.costs, layout_.optimizer.clip, scale_,
                                        static_cast<float>(layout_.optimizer.lossWeight) *
                                            gradientScale(plan_.lowered.microbatches / plan_.lowered.updates,
                                                          place_.data->size()),
                                        pacer, plan_.lowered.updates, plan_.lowered.flushes(), dataAxis_.get()});
        if (!services_.checkpoints.empty()) {
            checkpoints_.emplace(CheckpointSetup{layout_, services_.world, services_.recorder, trace_, arena_, state(),
                                                 services_.checkpoints, files(), services_.inform, services_.warn});
        }
        if (!plan_.lowered.flushes()) validationFrom_ = plan_.lowered.numbered();
        validation_ = forwardOnly(plan_.compute, sampler_.validationMicrobatches(),
                                  layout_.parallel.zero == 3);
        for (std::vector<Action>& actions : validation_.ranks)
            for (Action& action : actions) action.microbatch += validationFrom_;
        trace_.memory();
        if (services_.inform && services_.world.rank() == 0) services_.inform(corpus_.summary());
    }

    /// Takes the weights that the layout names, if it names any.
    Status startWeights();
    /// Takes state and position from a checkpoint.
    Status resume(const std::filesystem::path& checkpoint);
    std::string run();
    std::int64_t firstStep() const { return firstStep_; }
    const std::map<int, RankStage>& stages() const { return stages_; }

private:
    std::unique_ptr<TensorGroup> makeTensorGroup();
    Recompute::Observer recomputeObserver();
    void step(int step);
    std::string train();
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
    TrainingState state() { return {stages_, device(), layout_.parallel.zero, place_.dataRank, place_.data->size()}; }
    DirectExchange directExchange();
    Device& device() { return services_.device ? *services_.device : *processor_; }
    FileSystem& files() { return services_.files ? *services_.files : disk_; }
    /// The one rank that tells of losses.
    bool reports() const { return place_.holdsLast && place_.dataRank == 0 && place_.tensorRank == 0; }

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
    Schedule validation_;
    int validationFrom_ = 0;  ///< its microbatches are numbered from here, beyond those in flight meanwhile
    RunControl control_;
    Foresight foresight_;
    bool filled_ = false;   ///< where steps are not flushed: the fill is done
    bool together_ = true;  ///< the ranks waited for each other since the last step
    std::optional<Pacer> pacer_;
    std::unique_ptr<TensorGroup> tensor_;
    std::map<int, RankStage> stages_;
    std::unique_ptr<DataAxis> dataAxis_;
    std::optional<Transfers> transfers_;
    std::optional<Executor> executor_;
    std::optional<Checkpointer> checkpoints_;
};

/// How arrays go from rank to rank, and why so.
DirectExchange Trainer::Impl::directExchange() {
    if (device().onHost() || services_.world.size() == 1) return {};
    const DirectExchange found = findDirectExchange(services_.world, device());
    if (services_.inform && services_.world.rank() == 0)
        services_.inform(found.groups ? "ranks exchange from GPU to GPU over " + found.groups->name()
                                      : "ranks exchange by way of the processors' memory: " + found.reason);
    return found;
}

std::unique_ptr<TensorGroup> Trainer::Impl::makeTensorGroup() {
    if (place_.tensor->size() == 1) return std::make_unique<TensorGroup>(arena_);
    TensorParallel::Observer observer;
    // Paced, the executor records them where they would have been.
    if (!pacer_)
        observer = [this](const TensorCollective& collective, const std::function<void()>& run) {
            const Moment begin = trace_.mark();
            trace_.started(eventKind(collective.kind), trace_.action(), collective.bytes);
            run();
            trace_.tensorSpan(eventKind(collective.kind), collective.layer, begin, trace_.mark(), trace_.action(),
                              collective.bytes);
        };
    return std::make_unique<TensorParallel>(arena_, *place_.tensor, layout_.parallel.sequence, std::move(observer));
}

/// Paced, the executor records them where they would have been.
Recompute::Observer Trainer::Impl::recomputeObserver() {
    if (pacer_) return {};
    return [this](const std::function<void()>& run) {
        const Moment begin = trace_.mark();
        run();
        trace_.span(Lane::Compute, EventKind::Recompute, begin, trace_.mark(), trace_.action());
    };
}

Status Trainer::Impl::resume(const std::filesystem::path& checkpoint) {
    const auto manifest = readManifest(checkpoint);
    if (!manifest) return fail(manifest.error());
    if (const Status legal = canContinue(layout_, *manifest, checkpoint); !legal) return legal;
    const auto source = StateSource::ofCheckpoint(files(), checkpoint, *manifest);
    if (!source) return fail(source.error());
    firstStep_ = manifest->step;
    scale_.restore(manifest->numbers);
    sampler_.continueAt(manifest->step, manifest->samples);
    return state().load(*source);
}

Status Trainer::Impl::startWeights() {
    if (layout_.model.weights.empty()) return {};
    const auto source = StateSource::ofWeights(files(), layout_.model.weights);
    if (!source) return fail(source.error());
    return state().loadWeights(*source);
}

std::string Trainer::Impl::run() {
    trace_.span(Lane::Host, EventKind::Setup, began_, trace_.now());
    const std::string end = train();
    finishCheckpoint();
    trace_.doing(RankPhase::Finished);
    return end;
}

std::string Trainer::Impl::train() {
    const auto pausing = [&] {
        finishCheckpoint();  // nobody steps on to look whether it is whole
        trace_.doing(RankPhase::Paused);
    };
    int step = static_cast<int>(firstStep_);
    while (step < layout_.run.steps) {
        trace_.doing(RankPhase::BetweenSteps);
        if (checkpoints_) checkpoints_->look();
        const Decision decision = foresight_.next(pausing);
        together_ = together_ || foresight_.met();
        if (decision == Decision::Checkpoint) {
            takeCheckpoint(step);
            continue;
        }
        if (decision == Decision::Stop) break;
        this->step(step);
        if (validatesAfter(step)) validate();
        ++step;
        if (checkpoints_ && checkpoints_->due(step)) takeCheckpoint(step);
    }
    if (layout_.checkpoint.every > 0 && step > firstStep_) takeCheckpoint(step);
    leave();
    return step < layout_.run.steps ? "stopped" : "finished";
}

void Trainer::Impl::takeCheckpoint(std::int64_t stepsDone) {
    together_ = true;
    if (!checkpoints_) return;
    if (!plan_.lowered.flushes()) {
        if (services_.warn && services_.world.rank() == 0)
            services_.warn("no checkpoint: " + layout_.schedule.kind +
                           " has microbatches on their way and several versions of the weights between two steps");
        return;
    }
    checkpoints_->take({stepsDone, sampler_.samplesBefore(stepsDone), scale_.numbers()});
}

/// Waits until none is under way.
void Trainer::Impl::finishCheckpoint() {
    if (!checkpoints_) return;
    trace_.doing(RankPhase::Checkpointing);
    checkpoints_->finish();
}

/// Nothing is left on its way.
void Trainer::Impl::leave() {
    foresight_.finish();
    executor_->abandon();
}

/// Paced ranks start a step at one moment of the model clock, the latest that any of them proposes; where steps are not
/// flushed only those that they come to together.
void Trainer::Impl::startTogether() {
    const bool together = std::exchange(together_, plan_.lowered.flushes());
    if (pacer_ && together) pacer_->beginStep(largest(services_.world, pacer_->proposedStart()));
}

void Trainer::Impl::step(int step) {
    trace_.setStep(step);
    arena_.resetPeaks();
    startTogether();
    if (dataAxis_) dataAxis_->beginStep();
    const std::int64_t begin = trace_.now();
    const Executed done = runList(step);
    const std::int64_t end = trace_.now();
    trace_.span(Lane::Host, EventKind::Step, begin, end);
    if (dataAxis_) {
        trace_.counter(EventKind::ExposedComm, dataAxis_->exposedSeconds());
        trace_.counter(EventKind::HiddenComm,
                       std::max(0.0, dataAxis_->communicatedSeconds() - dataAxis_->exposedSeconds()));
    }
    trace_.memoryPeak();
    const float scaled = scale_.value();
    scale_.stepped(done.overflow);
    if (!place_.holdsLast) return;
    const double loss = meanLoss(done.lossSum, plan_.lowered.microbatches);
    if (!reports()) return;
    trace_.counter(EventKind::Loss, loss);
    const int updates = plan_.lowered.updates;
    trace_.counter(EventKind::LearningRate,
                   learningRate(layout_.optimizer, (step + 1) * updates, layout_.run.steps * updates));
    if (scale_.active()) trace_.counter(EventKind::LossScale, scaled);
    if (layout_.optimizer.clip > 0 && !done.overflow) trace_.counter(EventKind::GradientNorm, done.gradientNorm);
    trace_.counter(EventKind::TokensPerSecond, static_cast<double>(tokensPerStep(layout_)) / toSeconds(end - begin));
}

Executed Trainer::Impl::runList(int step) {
    const Schedule& lowered = plan_.lowered;
    const int each = lowered.microbatches;
    const auto tokens = [&](int microbatch) { return sampler_.train(step + microbatch / each, microbatch % each); };
    if (lowered.flushes()) return executor_->train(mine(lowered), step, tokens);
    const std::int64_t left = std::int64_t{layout_.run.steps - step} * each;
    std::optional<Schedule> ending;
    if (left < lowered.numbered()) ending = withoutMicrobatchesFrom(lowered, static_cast<int>(left));
    const Schedule& schedule = ending ? *ending : lowered;
    if (!std::exchange(filled_, true))
        executor_->train(schedule.fill[static_cast<std::size_t>(place_.pipelineRank)], step, tokens);
    const Executed done = executor_->train(mine(schedule), step, tokens);
    executor_->border(each);
    return done;
}

bool Trainer::Impl::validatesAfter(int step) const {
    if (sampler_.validationMicrobatches() == 0) return false;
    const int every = layout_.run.validateEvery;
    return step + 1 == layout_.run.steps || (every > 0 && (step + 1) % every == 0);
}

void Trainer::Impl::validate() {
    const std::int64_t begin = trace_.now();
    together_ = true;
    const Executed done = executor_->evaluate(mine(validation_), [&](int microbatch) {
        return sampler_.validation(microbatch - validationFrom_);
    });
    trace_.span(Lane::Host, EventKind::Validation, begin, trace_.now());
    if (!place_.holdsLast) return;
    const double loss = meanLoss(done.lossSum, sampler_.validationMicrobatches());
    if (reports()) trace_.counter(EventKind::ValidationLoss, loss);
}

Trainer::Trainer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Trainer::~Trainer() = default;

Result<std::unique_ptr<Trainer>> Trainer::create(const Plan& plan, TrainerServices services) {
    const std::int64_t began = services.recorder.now();
    Result<Corpus> corpus = Corpus::load(plan.layout);
    if (!corpus) return fail(corpus.error());
    const std::filesystem::path resume = services.resume;
    auto impl = std::make_unique<Impl>(plan, std::move(services), std::move(*corpus), began);
    const Status loaded = resume.empty() ? impl->startWeights() : impl->resume(resume);
    if (!loaded) return fail(loaded.error());
    return std::make_unique<Trainer>(std::move(impl));
}

std::int64_t Trainer::firstStep() const { return impl_->firstStep(); }

std::string Trainer::run() { return impl_->run(); }

namespace {

/// The weights, whole where this rank has them so; with ZeRO 3 its shards.
std::span<const Parameter> visited(const RankStage& rankStage) {
    const bool whole = !rankStage.stage->parameterBlock().empty();
    return whole ? rankStage.stage->parameters() : rankStage.shards->owned();
}

}  // namespace

void Trainer::visitParameters(
    const std::function<void(int, const Parameter&, std::span<const float>)>& visit) {
    for (const auto& [index, rankStage] : impl_->stages())
        for (const Parameter& parameter : visited(rankStage))
            visit(index, parameter, download(rankStage.stage->arena().device(), parameter.value));
}

}  // namespace shardlab
