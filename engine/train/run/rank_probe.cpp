// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/rank_probe.h"

#include "engine/base/clock.h"
#include "engine/layout/model_shape.h"
#include "engine/train/comm/scalars.h"
#include "engine/predict/plan/core_speed.h"
#include "engine/predict/plan/profile_noise.h"
#include "engine/base/median.h"

#include <algorithm>
#include <functional>

namespace shardlab::train {
namespace {

constexpr double passSeconds = 1.0;  ///< for each of the two ways of running the backward
constexpr int fewestPasses = 3;      ///< the first of them warms up
constexpr int warmUpdates = 2;

/// Median over the members whose value is not 0.
double typical(Communicator& world, double value) {
    std::vector<double> values = gather(world, value);
    std::erase(values, 0.0);
    return median(std::move(values));
}

double meanOverRanks(Communicator& world, double value) {
    double sum = 0;
    for (const double each : gather(world, value)) sum += each;
    return sum / world.size();
}

}  // namespace

struct PartPlace {
    enum class Kind : std::uint8_t { Embedding, Block, Output };
    Kind kind = Kind::Block;
    int firstBlock = 0;  ///< of the model; the blocks of a part follow each other
    int blocks = 0;
    std::size_t part = 0;  ///< index within a block

    bool holds(const StageProbe& stage, std::size_t layer) const {
        const StageSpec& spec = stage.spec();
        const std::size_t each = stage.layersOfBlock(), below = stage.layersBelow();
        const std::size_t above = below + each * static_cast<std::size_t>(spec.layers);
        if (kind == Kind::Embedding) return layer < below;
        if (kind == Kind::Output) return spec.last && layer == above;
        if (layer < below || layer >= above || (layer - below) % each != part) return false;
        const int block = spec.firstLayer + static_cast<int>((layer - below) / each);
        return block >= firstBlock && block < firstBlock + blocks;
    }
};

RankProbe::RankProbe(const StepPlan& plan, Communicator& world, Device& device, ProbeTime time)
    : plan_(plan), world_(world), time_(time), meter_(device), arena_(meter_),
      place_(place(plan, world, arena_.device(), {})) {
    for (auto& [index, spec] : stageSpecs(plan, place_.pipelineRank)) {
        spec.memory = {.activations = spec.memory.activations};  // the time of recomputation follows from the forward's
        stages_.emplace(index, std::make_unique<StageProbe>(spec, arena_, time));
        optimizers_.emplace(index,
                            makeOptimizer({plan.layout.optimizer, 1, numberFormats(plan.layout.precision).master},
                                          stages_.at(index)->stage().parameters(), arena_));
    }
}

std::size_t RankProbe::gradientFloats() const {
    std::size_t most = 0;
    for (const auto& [index, stage] : stages_) most = std::max(most, stage->stage().gradientBlock().size());
    return most;
}

/// Runs one step. Backwards are whole, or split so that each W follows the I of the next microbatch.
void RankProbe::pass(bool whole) {
    std::map<int, int> waiting;  // by stage, the microbatch whose W is to come
    const auto weightGrad = [&](int stage) {
        if (const auto found = waiting.extract(stage); !found.empty())
            stages_.at(stage)->run(ActionKind::WeightGrad, found.mapped());
    };
    for (const Action& action : plan_.compute.ranks[static_cast<std::size_t>(place_.pipelineRank)]) {
        if (action.kind == ActionKind::Forward) stages_.at(action.stage)->run(action.kind, action.microbatch);
        if (!givesInputGrad(action.kind)) continue;
        if (whole) {
            stages_.at(action.stage)->run(ActionKind::Backward, action.microbatch);
            continue;
        }
        stages_.at(action.stage)->run(ActionKind::InputGrad, action.microbatch);
        weightGrad(action.stage);
        waiting[action.stage] = action.microbatch;
    }
    for (const auto& [index, stage] : stages_) weightGrad(index);
    update();
}

void RankProbe::compute(bool whole) {
    world_.barrier();
    const std::int64_t end = monotonicNanoseconds() + toNanoseconds(passSeconds);
    for (int done = 0; done < fewestPasses || monotonicNanoseconds() < end; ++done) {
        pass(whole);
        if (done > 0) continue;
        for (const auto& [index, stage] : stages_)
            for (LayerSamples& layer : stage->layers())
                for (auto* samples :
                     {whole ? &layer.forward : &layer.inputGrad, whole ? &layer.backward : &layer.weightGrad})
                    samples->clear();
    }
}

/// Updates as at the end of a step, where the caches hold what the step left there.
void RankProbe::update() {
    ++updates_;
    for (const auto& [index, probe] : stages_) {
        Stage& stage = probe->stage();
        const double begin = secondsOf(time_);
        optimizers_.at(index)->update(stage.parameters(), updates_, 1);
        stage.zeroGradients();
        const double seconds = secondsOf(time_) - begin;
        if (updates_ > warmUpdates)
            updatePerByte_.push_back(seconds / static_cast<double>(stage.parameterBlock().bytes().size()));
    }
}

PartProfile RankProbe::combined(std::string name, const PartPlace& place) {
    LayerSamples all;
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    for (const auto& [index, stage] : stages_)
        for (std::size_t i = 0; i < stage->layers().size(); ++i) {
            if (!place.holds(*stage, i)) continue;
            const LayerSamples& layer = stage->layers()[i];
            append(all.forward, layer.forward);
            append(all.backward, layer.backward);
            append(all.inputGrad, layer.inputGrad);
            append(all.weightGrad, layer.weightGrad);
            all.activationBytes = layer.activationBytes;
            all.weightBytes = layer.weightBytes;
        }
    PartProfile part;
    part.name = std::move(name);
    part.forward = typical(world_, median(all.forward));
    part.backward = typical(world_, median(all.backward));
    part.inputGrad = typical(world_, median(all.inputGrad));
    part.weightGrad = typical(world_, median(all.weightGrad));
    part.activationBytes = largest(world_, all.activationBytes);
    part.weightBytes = largest(world_, all.weightBytes);
    part.optimizer = optimizerPerByte_ * static_cast<double>(part.weightBytes);
    return part;
}

/// The spread of each kind of action: the mean over layers weighted by their times, since a layer that takes
/// microseconds says little about an action; then the median over ranks, as for the times themselves.
std::vector<Spread> RankProbe::spreads() {
    const auto of = [&](const char* what, std::vector<double> LayerSamples::*samples) {
        double range = 0, seconds = 0;
        for (const auto& [index, stage] : stages_)
            for (const LayerSamples& layer : stage->layers()) {
                const double middle = median(layer.*samples);
                range += spreadOf(layer.*samples) * middle;
                seconds += middle;
            }
        return Spread{what, typical(world_, seconds > 0 ? range / seconds : 0)};
    };
    return {of("forwards", &LayerSamples::forward), of("backwards", &LayerSamples::backward),
            of("input gradients", &LayerSamples::inputGrad), of("weight gradients", &LayerSamples::weightGrad)};
}

Profile RankProbe::result(Profile profile) {
    const ModelSpec& model = plan_.layout.model;
    optimizerPerByte_ = typical(world_, median(updatePerByte_));
    profile.embedding = combined("embedding", {PartPlace::Kind::Embedding});
    const auto parts =
        static_cast<std::size_t>(largest(world_, static_cast<std::int64_t>(stages_.begin()->second->layersOfBlock())));
    for (int first = 0, next = 0; first < blockCount(model); first = next) {
        while (next < blockCount(model) && sameShapes(model, next, first)) ++next;
        BlockProfile& block = profile.blocks.emplace_back();
        block.layers = next - first;
        for (std::size_t part = 0; part < parts; ++part)
            block.parts.push_back(combined(readsImages(model)       ? "convolutions"
                                           : parts > 1 && part == 0 ? "attention"
                                                                    : "feed-forward",
                                           {PartPlace::Kind::Block, first, next - first, part}));
    }
    profile.output = combined("output", {PartPlace::Kind::Output});
    profile.spreads = spreads();
    return profile;
}

KernelAccount RankProbe::kernels(int threads) {
    world_.barrier();
    const CoreSpeed core = measureCoreSpeed();
    const bool bf16 = plan_.layout.precision.compute == NumberFormat::Bf16;
    const double flops = bf16 && core.bf16Flops > 0 ? core.bf16Flops : core.flops;
    world_.barrier();
    pass(true);
    meter_.start(time_ == ProbeTime::Processor ? [] { return secondsOf(ProbeTime::Processor); }
                                               : [] { return secondsOf(ProbeTime::Clock); });
    const double begin = secondsOf(time_);
    const std::int64_t end = monotonicNanoseconds() + toNanoseconds(passSeconds);
    int passes = 0;
    for (; passes == 0 || monotonicNanoseconds() < end; ++passes) pass(true);
    const double seconds = secondsOf(time_) - begin;
    meter_.stop();
    const auto ofRank = [&](double ofPasses) { return meanOverRanks(world_, ofPasses / passes); };
    KernelAccount account{{},
                          ofRank(seconds),
                          meanOverRanks(world_, flops * threads),
                          meanOverRanks(world_, core.memoryBandwidth * threads)};
    for (std::size_t i = 0; i < kernelKinds; ++i) {
        const auto kind = static_cast<KernelKind>(i);
        const KernelUse& use = meter_.use(kind);
        KernelProfile kernel{std::string(name(kind)), ofRank(static_cast<double>(use.calls)), ofRank(use.seconds),
                             ofRank(use.flops), ofRank(use.bytes)};
        if (kernel.calls > 0) account.kernels.push_back(std::move(kernel));
    }
    std::ranges::stable_sort(account.kernels, std::greater<>(), &KernelProfile::seconds);
    return account;
}

}  // namespace shardlab::train
