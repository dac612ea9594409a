// SPDX-License-Identifier: Apache-2.0
#include "engine/train/trainer.h"

#include "engine/base/clock.h"
#include "engine/checkpoint/resume.h"
#include "engine/comm/scalars.h"
#include "engine/optim/learning_rate.h"
#include "engine/layout/exchange.h"
#include "engine/layout/model_shape.h"
#include "engine/model/host_copy.h"
#include "engine/parallel/context.h"
#include "engine/parallel/data.h"
#include "engine/parallel/expert.h"
#include "engine/parallel/tensor.h"
#include "engine/schedule/passes.h"
#include "engine/train/async_server.h"
#include "engine/train/async_worker.h"
#include "engine/train/checkpointer.h"
#include "engine/train/corpus.h"
#include "engine/train/elastic_centre.h"
#include "engine/train/executor.h"
#include "engine/train/hogwild_worker.h"
#include "engine/train/host_copies.h"
#include "engine/train/layer_observers.h"
#include "engine/train/placement.h"
#include "engine/train/run_control.h"
#include "engine/train/shared_weights.h"

#include <optional>
#include <utility>

namespace shardlab {

class Trainer::Impl {
public:
    Impl(const Plan& plan, TrainerServices services, Corpus corpus, std::int64_t began)
        : plan_(plan), layout_(plan_.layout), services_(std::move(services)), began_(began), corpus_(std::move(corpus)),
          arena_(device()), trace_(services_.recorder, services_.status, arena_, services_.flight),
          direct_(directExchange()), place_(place(plan_, services_.world, device(), direct_)), scale_(layout_.precision),
          sampler_(makeSampler()), control_(services_.takeCommand),
          foresight_(services_.world, control_, stepsAhead(plan_.lowered)) {
        trace_.doing(RankPhase::Setup);
        if (layout_.cluster.pace) pacer_.emplace(services_.recorder, plan_.costs, services_.coresFree);
        Pacer* const pacer = pacer_ ? &*pacer_ : nullptr;
        tensor_ = makeTensorGroup();
        context_ = makeContextGroup();
        experts_ = makeExpertGroup();
        stages_ = makeStages(plan_, place_.pipelineRank, arena_, *tensor_,
                             pacer_ ? pacedRecomputeObserver(trace_) : recomputeObserver(trace_), context_.get(), experts_.get());
        dataAxis_ = makeDataAxis(plan_, place_, stages_, arena_, trace_, pacer);
        if (offloadsOptimizer(layout_.memory)) {
            optimizerHost_ = std::make_unique<OptimizerHost>(device());
            makeMirrors(stages_, device(), optimizerHost_->arena());
            hostCopies_ = makeHostCopies(plan_, stages_, device(), trace_, pacer, dataAxis_.get());
        }
        if (serves())
            makeOptimizers({layout_.optimizer, updates(), numberFormats(layout_.precision).master, tensor_.get()}, stages_,
                           optimizerHost_ ? optimizerHost_->arena() : arena_);
        if (exchange() == Exchange::Elastic)
            elastic_ = std::make_unique<ElasticCentre>(layout_.optimizer, updates(), stages_, *place_.data, arena_);
        if (exchange() == Exchange::Hogwild) {
            shared_ = std::make_unique<SharedWeights>(layout_.optimizer, updates(), *stages_.begin()->second.stage, *place_.data, arena_);
            whole_.emplace(corpus_, layout_, 0, 1);
        }
        std::vector<std::size_t> boundaries;
        for (const StageShape& shape : stageShapes(layout_))
            boundaries.push_back(static_cast<std::size_t>(boundaryFloats(
                layout_.model, shape.firstLayer, layout_.batch.micro, tensorShare(layout_, place_.tensorRank))));
        transfers_.emplace(TransferSetup{*place_.pipeline, plan_.lowered.rankOfStage, place_.pipelineMembers, boundaries,
                                         Types(numberFormats(layout_.precision)).activations,
                                         arena_, trace_, pacer, services_.loses});
        executor_.emplace(ExecutorSetup{stages_, arena_, plan_.lowered.stages(), *place_.replica, *place_.data,
                                        *place_.context, *place_.experts, *place_.tensor, place_.tied.get(), *transfers_,
                                        trace_, plan_.costs, layout_.optimizer.clip, scale_,
                                        static_cast<float>(layout_.optimizer.lossWeight) *
                                            gradientScale(plan_.lowered.microbatches / plan_.lowered.updates,
                                                          replicasOfUpdate(layout_.parallel)),
                                        pacer, plan_.lowered.updates, plan_.lowered.flushes(), serves(), elastic_.get(),
                                        shared_.get(), dataAxis_.get(), hostCopies_.get(), services_.faults});
        if (!services_.checkpoints.empty()) {
            checkpoints_.emplace(CheckpointSetup{layout_, services_.world, services_.recorder, trace_, arena_, state(),
                                                 services_.checkpoints, files(), services_.inform, services_.warn});
        }
        if (!plan_.lowered.flushes()) validationFrom_ = plan_.lowered.numbered();
        validation_ = forwardOnly(plan_.compute, validating().validationMicrobatches(),
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
    Sampler makeSampler() const;
    std::unique_ptr<TensorGroup> makeTensorGroup();
    std::unique_ptr<ContextGroup> makeContextGroup();
    std::unique_ptr<ExpertGroup> makeExpertGroup();
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
        return {stages_, device(), layout_.parallel.zero, place_.replicaNumber, replicas,
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
    std::optional<Pacer> pacer_;
    std::unique_ptr<TensorGroup> tensor_;
    std::unique_ptr<ContextGroup> context_;  ///< null where nobody shares the tokens of a sample
    std::unique_ptr<ExpertGroup> experts_;   ///< null where this rank holds all experts
    std::unique_ptr<OptimizerHost> optimizerHost_;  ///< null where the optimizer is on the device
    std::map<int, RankStage> stages_;
    std::unique_ptr<DataAxis> dataAxis_;
    std::unique_ptr<HostCopies> hostCopies_;
    std::unique_ptr<ElasticCentre> elastic_;
    std::unique_ptr<SharedWeights> shared_;
    std::optional<Transfers> transfers_;
    std::optional<Executor> executor_;
    std::optional<Checkpointer> checkpoints_;
};

/// An asynchronous server takes no part in a batch, and validates alone.
Sampler Trainer::Impl::makeSampler() const {
    if (exchange() != Exchange::AsyncServer)
        return {corpus_, layout_, place_.dataRank, layout_.parallel.data, place_.contextRank};
    const bool server = place_.dataRank == 0;
    return {corpus_, layout_, server ? 0 : place_.dataRank - 1, server ? 1 : workers(layout_.parallel)};
}

/// How arrays go from rank to rank, and why so.
DirectExchange Trainer::Impl::directExchange() {
    if (device().onHost() || services_.world.size() == 1) return {};
    const DirectExchange found = findDirectExchange(services_.world, device());
    if (services_.inform && services_.world.rank() == 0)
        services_.inform(found.groups ? "ranks exchange from GPU to GPU over " + found.groups->name()
                                      : "ranks exchange by way of the processors' memory: " + found.reason);
    return found;
}

// Paced, the executor records what layers do where it would have been.

std::unique_ptr<TensorGroup> Trainer::Impl::makeTensorGroup() {
    if (place_.tensor->size() == 1) return std::make_unique<TensorGroup>(arena_);
    return std::make_unique<TensorParallel>(arena_, *place_.tensor, layout_.parallel.sequence,
                                            pacer_ ? TensorParallel::Observer() : tensorObserver(trace_));
}

std::unique_ptr<ContextGroup> Trainer::Impl::makeContextGroup() {
    if (place_.context->size() == 1) return nullptr;
    return std::make_unique<ContextParallel>(*place_.context, pacer_ ? ContextParallel::Observer() : contextObserver(trace_));
}

std::unique_ptr<ExpertGroup> Trainer::Impl::makeExpertGroup() {
    if (place_.experts->size() == 1) return nullptr;
    return std::make_unique<ExpertParallel>(*place_.experts, layout_.batch.global / layout_.parallel.data,
                                            pacer_ ? ExpertParallel::Observer() : expertObserver(trace_));
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
    const Status loaded = state().load(*source);
    if (shared_) shared_->begin();
    beginMirrors(stages_);
    return loaded;
}

Status Trainer::Impl::startWeights() {
    if (layout_.model.weights.empty()) return {};
    const auto source = layout_.model.kind == "llama"
                            ? StateSource::ofLlamaWeights(files(), layout_.model.weights, layout_.model)
                            : StateSource::ofWeights(files(), layout_.model.weights);
    if (!source) return fail(source.error());
    const Status loaded = state().loadWeights(*source);
    if (elastic_) elastic_->begin();
    if (shared_) shared_->begin();
    beginMirrors(stages_);
    return loaded;
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
    if (exchange() == Exchange::AsyncServer) {
        const int done = trainAsynchronously();
        return done < layout_.run.steps ? "stopped" : "finished";
    }
    int step = exchange() == Exchange::Hogwild ? trainWithoutLock() : static_cast<int>(firstStep_);
    while (exchange() != Exchange::Hogwild && step < layout_.run.steps) {
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

/// The server takes commands between two steps; workers have none of their own.
int Trainer::Impl::trainAsynchronously() {
    if (pacer_) pacer_->beginStep(largest(services_.world, pacer_->proposedStart()));
    Pacer* const pacer = pacer_ ? &*pacer_ : nullptr;
    RankStage& rankStage = stages_.begin()->second;
    const auto begins = [this](int step) { beginStep(step); };
    std::vector<Action> gradient, update;
    for (const Action& action : mine(plan_.lowered)) (isCompute(action.kind) ? gradient : update).push_back(action);
    int steps = 0;
    if (serves()) {
        const auto stepped = [this, pacer](int step, double loss, double gradientNorm, double seconds) {
            tellStep(step, loss, gradientNorm, seconds);
            if (!validatesAfter(step)) return;
            validate();
            if (pacer) pacer->beginStep(pacer->proposedStart());
        };
        steps = AsyncServer({*place_.data, *executor_, *rankStage.stage, arena_, trace_, plan_.costs, pacer, control_, update,
                             layout_.run.steps, plan_.lowered.microbatches, begins, stepped, [this] { takeCheckpoint(0); }})
                    .run();
    } else {
        const Action push = update.front(), pull = update.back();
        steps = AsyncWorker({*place_.data, *executor_, rankStage, arena_, trace_, plan_.costs, pacer, std::move(gradient), push, pull, begins,
                             [this](std::int64_t number, int microbatch) { return sampler_.train(number, microbatch); }})
                    .run();
    }
    executor_->abandon();
    return steps;
}

/// Worker 0 takes commands and validates; where all must be at one step, they meet.
int Trainer::Impl::trainWithoutLock() {
    HogwildWorkerSetup setup{*place_.data, *executor_, *shared_, *stages_.begin()->second.stage, arena_, trace_,
                             pacer_ ? &*pacer_ : nullptr, control_, mine(plan_.lowered)};
    setup.firstStep = static_cast<int>(firstStep_);
    setup.steps = layout_.run.steps;
    setup.microbatches = plan_.lowered.microbatches;
    setup.tokens = [this](std::int64_t step, int microbatch) { return sampler_.train(step, microbatch); };
    if (checkpoints_) setup.due = [this](int stepsDone) { return checkpoints_->due(stepsDone); };
    setup.checkpoint = [this](int stepsDone) {
        takeCheckpoint(stepsDone);
        finishCheckpoint();
    };
    setup.begins = [this](int step) { beginStep(step); };
    setup.stepped = [this](int step, double loss, double gradientNorm, double seconds) { tellStep(step, loss, gradientNorm, seconds); };
    setup.validatesAfter = [this](int step) { return validatesAfter(step); };
    setup.validate = [this] { validate(); };
    return HogwildWorker(std::move(setup)).run();
}

void Trainer::Impl::takeCheckpoint(std::int64_t stepsDone) {
    together_ = true;
    if (!checkpoints_) return;
    if (exchange() == Exchange::AsyncServer || exchange() == Exchange::Elastic) {
        if (services_.warn && services_.world.rank() == 0)
            services_.warn("no checkpoint: with the exchange " + layout_.parallel.exchange +
                           " no replica's weights are those of the run");
        return;
    }
    if (!plan_.lowered.flushes()) {
        if (services_.warn && services_.world.rank() == 0)
            services_.warn("no checkpoint: " + layout_.schedule.kind +
                           " has microbatches on their way and several versions of the weights between two steps");
        return;
    }
    // Steps before a checkpoint are never done again: what is known of them must not be lost with the process.
    if (services_.settle) services_.settle();
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

void Trainer::Impl::beginStep(int step) {
    trace_.setStep(step);
    if (!services_.faults) return;
    services_.faults->beginStep(step);
    if (pacer_) pacer_->setSlowdown(services_.faults->slowdown());
}

void Trainer::Impl::step(int step) {
    beginStep(step);
    arena_.resetPeaks();
    startTogether();
    if (dataAxis_) dataAxis_->beginStep();
    if (hostCopies_) hostCopies_->beginStep();
    const std::int64_t begin = trace_.now();
    const Executed done = runList(step);
    const std::int64_t end = trace_.now();
    trace_.span(Lane::Host, EventKind::Step, begin, end);
    tellBesideCompute();
    trace_.memoryPeak();
    if (optimizerHost_) trace_.hostMemory(optimizerHost_->arena().used());
    if (place_.tensorRank == 0)
        for (auto& [index, rankStage] : stages_)
            for (const ExpertLoad& load : rankStage.stage->takeExpertLoads()) trace_.experts(load);
    tellPacked();
    const float scaled = scale_.value();
    scale_.stepped(done.overflow);
    if (!place_.holdsLast) return;
    const double loss = meanLoss(done.lossSum, plan_.lowered.microbatches);
    if (!reports()) return;
    if (scale_.active()) trace_.counter(EventKind::LossScale, scaled);
    tellStep(step, loss, done.overflow ? std::nullopt : std::optional(done.gradientNorm), toSeconds(end - begin));
}

void Trainer::Impl::tellPacked() {
    PackedTally sum;
    for (auto& [index, rankStage] : stages_) {
        const PackedTally packed = rankStage.stage->takePacked();
        sum.kept += packed.kept;
        sum.plain += packed.plain;
    }
    if (sum.plain > 0) trace_.packed(sum.kept, sum.plain);
}

/// Of what runs beside compute, over the data axis and to the host, how much the rank waited for.
void Trainer::Impl::tellBesideCompute() {
    if (!dataAxis_ && !hostCopies_) return;
    const double moved = (dataAxis_ ? dataAxis_->communicatedSeconds() : 0) + (hostCopies_ ? hostCopies_->copiedSeconds() : 0);
    const double exposed = (dataAxis_ ? dataAxis_->exposedSeconds() : 0) + (hostCopies_ ? hostCopies_->exposedSeconds() : 0);
    trace_.counter(EventKind::ExposedComm, exposed);
    trace_.counter(EventKind::HiddenComm, std::max(0.0, moved - exposed));
}

void Trainer::Impl::tellStep(int step, double loss, std::optional<double> gradientNorm, double seconds) {
    trace_.counter(EventKind::Loss, loss);
    trace_.counter(EventKind::LearningRate,
                   learningRate(layout_.optimizer, updates() / layout_.run.steps * (step + 1), updates()));
    if (layout_.optimizer.clip > 0 && gradientNorm) trace_.counter(EventKind::GradientNorm, *gradientNorm);
    trace_.counter(EventKind::TokensPerSecond, static_cast<double>(tokensPerStep(layout_)) / seconds);
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
    if (elastic_) elastic_->lend();
    const Executed done = executor_->evaluate(mine(validation_), [&](int microbatch) {
        return validating().validation(microbatch - validationFrom_);
    });
    if (elastic_) elastic_->restore();
    trace_.span(Lane::Host, EventKind::Validation, begin, trace_.now());
    if (!place_.holdsLast) return;
    const int count = validating().validationMicrobatches();
    const double loss = runsAtOwnPace(layout_.parallel) ? done.lossSum / count : meanLoss(done.lossSum, count);
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
