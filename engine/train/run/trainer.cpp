// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/trainer_impl.h"

#include "engine/trace/checkpoint/resume.h"
#include "engine/layout/model_shape.h"
#include "engine/train/model/host_copy.h"
#include "engine/train/parallel/context.h"
#include "engine/train/parallel/expert.h"
#include "engine/train/parallel/tensor.h"
#include "engine/layout/schedule/passes.h"
#include "engine/train/run/paced_clock.h"

#include <utility>

namespace shardlab::train {

Trainer::Impl::Impl(const StepPlan& plan, TrainerServices services, Corpus corpus, std::int64_t began)
    : plan_(plan), layout_(plan_.layout), services_(std::move(services)), began_(began), corpus_(std::move(corpus)),
      observed_(services_.operationsEvery > 0 ? std::make_unique<ObservedDevice>(computing()) : nullptr),
      arena_(device()), trace_(services_.recorder, services_.status, arena_, services_.flight),
      operations_(
          observed_ ? std::make_unique<OperationTrace>(trace_, *observed_, services_.naming, services_.operationsEvery)
                    : nullptr),
      direct_(directExchange()), place_(place(plan_, services_.world, device(), direct_)), scale_(layout_.precision),
      sampler_(makeSampler()), control_(services_.takeCommand),
      decisions_(services_.world, control_, stepsAhead(plan_.lowered)), clock_(makeClock()) {
    trace_.doing(RankPhase::Setup);
    LayerObservers observers = clock_->layerObservers();
    if (operations_)
        observers.layers = operations_->observing(std::move(observers.layers), [this](int stage, int layer) {
            return stages_.at(stage).stage->layerOfModel(layer);
        });
    tensor_ = makeTensorGroup(observers, arena_, *place_.tensor);
    context_ = makeContextGroup(observers);
    experts_ = makeExpertGroup(observers);
    stages_ = makeStages(plan_, place_.pipelineRank, arena_, *tensor_, observers, context_.get(), experts_.get());
    if (usesHost(layout_.memory)) host_ = std::make_unique<HostArena>(device());
    Arena* const parametersHost = offloadsParameters(layout_.memory) ? &host_->arena() : nullptr;
    dataParallel_ = makeDataParallelComm(plan_, place_, stages_, arena_, parametersHost, trace_, *clock_);
    if (host_) {
        if (offloadsOptimizer(layout_.memory)) makeMirrors(stages_, device(), host_->arena());
        hostCopies_ = makeHostCopies(plan_, stages_, arena_, host_->arena(), trace_, *clock_, dataParallel_.get());
    }
    if (serves()) {
        const bool onHost = offloadsOptimizer(layout_.memory);
        if (onHost) hostTensor_ = makeTensorGroup(observers, host_->arena(), place_.tensor->host());
        makeOptimizers({layout_.optimizer, updates(), numberFormats(layout_.precision).master,
                        (onHost ? hostTensor_ : tensor_).get()},
                       stages_, onHost ? host_->arena() : arena_);
    }
    if (exchange() == Exchange::Elastic)
        elastic_ = std::make_unique<ElasticCentre>(layout_.optimizer, updates(), stages_, *place_.centre, arena_);
    if (exchange() == Exchange::Hogwild) {
        shared_ = std::make_unique<SharedWeights>(layout_.optimizer, updates(), *stages_.begin()->second.stage,
                                                  *place_.data, arena_);
        whole_.emplace(corpus_, layout_, 0, 1);
    }
    std::vector<std::size_t> boundaries;
    for (const StageShape& shape : stageShapes(layout_))
        boundaries.push_back(static_cast<std::size_t>(boundaryFloats(
            layout_.model, shape.firstLayer, layout_.batch.micro, tensorShare(layout_, place_.tensorRank))));
    transfers_.emplace(TransferSetup{*place_.pipeline, plan_.lowered.rankOfStage, place_.pipelineMembers, boundaries,
                                     Types(numberFormats(layout_.precision)).activations, arena_, trace_, *clock_,
                                     services_.loses});
    executor_.emplace(ExecutorSetup{plan_, stages_, arena_, place_.groups(), trace_, *clock_, scale_, *transfers_,
                                    elastic_.get(), shared_.get(), dataParallel_.get(), hostCopies_.get()});
    if (!services_.checkpoints.empty()) {
        checkpoints_.emplace(CheckpointSetup{layout_, services_.world, services_.recorder, trace_, arena_, state(),
                                             services_.checkpoints, files(), services_.inform, services_.warn});
    }
    if (!plan_.lowered.flushes()) validationFrom_ = plan_.lowered.numbered();
    validation_ = forwardOnly(plan_.compute, validating().validationMicrobatches(), lowerOptions(layout_));
    for (std::vector<Action>& actions : validation_.ranks)
        for (Action& action : actions) action.microbatch += validationFrom_;
    trace_.memory();
    if (services_.inform && services_.world.rank() == 0) services_.inform(corpus_.summary());
}

/// An asynchronous server takes no share of a batch, and validates alone.
Sampler Trainer::Impl::makeSampler() const {
    return {corpus_, layout_, batchShare(layout_, services_.world.rank()).value_or(BatchShare{})};
}

/// Finds how arrays go from rank to rank, and lets people know why.
DirectExchange Trainer::Impl::directExchange() {
    if (device().onHost() || services_.world.size() == 1) return {};
    const DirectExchange found = findDirectExchange(services_.world, device());
    if (services_.inform && services_.world.rank() == 0)
        services_.inform(found.groups ? "ranks exchange from GPU to GPU over " + found.groups->name()
                                      : "ranks exchange by way of the processors' memory: " + found.reason);
    return found;
}

std::unique_ptr<StepClock> Trainer::Impl::makeClock() {
    if (!layout_.cluster.pace) return std::make_unique<RealClock>(trace_, device(), services_.faults);
    return std::make_unique<PacedClock>(trace_, device(), plan_.costs, services_.faults, services_.coresFree);
}

std::unique_ptr<TensorGroup> Trainer::Impl::makeTensorGroup(const LayerObservers& observers, Arena& arena,
                                                            Communicator& members) {
    if (members.size() == 1) return std::make_unique<TensorGroup>(arena);
    return std::make_unique<TensorParallel>(arena, members, layout_.parallel.sequence, observers.tensor);
}

std::unique_ptr<ContextGroup> Trainer::Impl::makeContextGroup(const LayerObservers& observers) {
    if (place_.context->size() == 1) return nullptr;
    return std::make_unique<ContextParallel>(*place_.context, layout_.parallel.contextKind, observers.context);
}

std::unique_ptr<ExpertGroup> Trainer::Impl::makeExpertGroup(const LayerObservers& observers) {
    if (place_.experts->size() == 1) return nullptr;
    const MemberSamples samples{layout_.batch.global / layout_.parallel.data, place_.context->size(),
                                place_.replicaNumber - place_.experts->rank()};
    return std::make_unique<ExpertParallel>(*place_.experts, samples, observers.experts);
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
    const bool remainders = exchangesAlike(manifest->layout, layout_);
    if (!remainders && codesExchange(layout_) && services_.inform && services_.world.rank() == 0)
        services_.inform("remainders of the exchange begin at 0: those of the checkpoint are of other replicas or "
                         "stages, or there are none");
    const Status loaded = state().load(*source, remainders);
    // A static loss scale is the layout's, and remainders have that of the checkpoint.
    const auto had = manifest->numbers.find("loss scale");
    if (remainders) scaleRemainders(had == manifest->numbers.end() ? 1 : static_cast<float>(had->second));
    if (shared_) shared_->begin();
    beginMirrors(stages_);
    return loaded;
}

Status Trainer::Impl::startWeights() {
    if (layout_.model.weights.empty()) return {};
    const auto source = StateSource::ofWeights(files(), layout_.model.weights, layout_.model);
    if (!source) return fail(source.error());
    const Status loaded = state().loadWeights(*source);
    if (elastic_) elastic_->begin();
    if (shared_) shared_->begin();
    beginMirrors(stages_);
    return loaded;
}

Trainer::Trainer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Trainer::~Trainer() = default;

Result<std::unique_ptr<Trainer>> Trainer::create(const StepPlan& plan, TrainerServices services) {
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

/// Whether this rank holds the weights whole, and not (with ZeRO 3) its shards.
bool isWhole(const RankStage& rankStage) { return !rankStage.stage->parameterBlock().empty(); }

}  // namespace

void Trainer::visitParameters(const std::function<void(int, const Parameter&, std::span<const float>)>& visit) {
    for (const auto& [index, rankStage] : impl_->stages()) {
        const bool whole = isWhole(rankStage);
        Device& device = whole ? rankStage.stage->arena().device() : rankStage.shards->valuesDevice();
        for (const Parameter& parameter : whole ? rankStage.stage->parameters() : rankStage.shards->owned())
            visit(index, parameter, download(device, parameter.value));
    }
}

}  // namespace shardlab::train
