// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/stage_probe.h"

#include "engine/base/random.h"
#include "engine/layout/model_shape.h"
#include "engine/train/model/host_copy.h"

#include <algorithm>
#include <time.h>
#include <utility>

namespace shardlab::train {

double secondsOf(ProbeTime time) {
    timespec now{};
    clock_gettime(time == ProbeTime::Processor ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

StageProbe::StageProbe(const StageSpec& spec, Arena& arena, ProbeTime time)
    : spec_(spec), arena_(arena), time_(time), stage_(spec, arena), layers_(static_cast<std::size_t>(stage_.layers())) {
    const auto samples = static_cast<std::size_t>(spec.samples);
    RandomStream random(spec.seed, "profile");
    const auto below = [&](int kinds) {
        return std::min(static_cast<std::int32_t>(random.uniform() * kinds), kinds - 1);
    };
    tokens_.resize(samples * static_cast<std::size_t>(sampleInputs(spec.model)));
    targets_.resize(samples * static_cast<std::size_t>(sampleTargets(spec.model)));
    constexpr int bytes = 256;  // values of a byte of a pixel
    std::ranges::generate(tokens_, [&] { return below(readsImages(spec.model) ? bytes : spec.model.vocabulary); });
    std::ranges::generate(targets_, [&] { return below(targetKinds(spec.model)); });
    further_.assign(static_cast<std::size_t>(predictionModules(spec.model)), targets_);
    values_.resize(std::max(boundarySize(spec.firstLayer), boundarySize(spec.firstLayer + spec.layers)));
    std::ranges::generate(values_, [&] { return static_cast<float>(random.uniform() - 0.5); });
    for (const Parameter& parameter : stage_.parameters())
        if (!parameter.tied || parameter.owner)
            layers_[static_cast<std::size_t>(parameter.lowestLayer)].weightBytes +=
                static_cast<std::int64_t>(parameter.value.bytes().size());
    stage_.setHooks(this);
}

std::size_t StageProbe::layersBelow() const { return stage_.hasLayer(embeddingLayer) ? 1 : 0; }

std::size_t StageProbe::layersOfBlock() const {
    const std::size_t ends = layersBelow() + (spec_.last ? 1 : 0);
    return (layers_.size() - ends) / static_cast<std::size_t>(std::max(1, spec_.layers));
}

std::int64_t StageProbe::activations() const {
    return arena_.used()[static_cast<std::size_t>(MemoryCategory::Activations)];
}

std::size_t StageProbe::boundarySize(int above) const {
    return static_cast<std::size_t>(boundaryFloats(spec_.model, above, spec_.samples));
}

Buffer StageProbe::boundary(int above) {
    const std::span values = std::span(values_).first(boundarySize(above));
    Buffer buffer = arena_.allocate(MemoryCategory::Buffers, values.size(), stage_.types().activations);
    upload(arena_.device(), values, buffer.span());
    return buffer;
}

void StageProbe::run(ActionKind kind, int microbatch) {
    running_ = kind;
    const int above = spec_.firstLayer + spec_.layers;
    switch (kind) {
    case ActionKind::Forward:
        stage_.forward(microbatch, {tokens_, targets_, 0, further_},
                       spec_.first ? Buffer{} : boundary(spec_.firstLayer));
        break;
    case ActionKind::Backward: stage_.backward(microbatch, spec_.last ? Buffer{} : boundary(above), 1); break;
    case ActionKind::InputGrad: stage_.inputGrad(microbatch, spec_.last ? Buffer{} : boundary(above), 1); break;
    case ActionKind::WeightGrad: stage_.weightGrad(microbatch); break;
    default: break;
    }
}

void StageProbe::start(int) {
    heldBefore_ = activations();
    begun_ = secondsOf(time_);
}

void StageProbe::afterUse(int layer) {
    const double seconds = secondsOf(time_) - begun_;
    LayerSamples& samples = layers_[static_cast<std::size_t>(layer)];
    if (running_ == ActionKind::Forward) {
        samples.forward.push_back(seconds);
        samples.activationBytes = activations() - heldBefore_;
    } else if (running_ == ActionKind::InputGrad) {
        samples.inputGrad.push_back(seconds);
    } else {
        inputSeconds_ = seconds;
    }
}

void StageProbe::afterGradient(int layer) {
    const double seconds = secondsOf(time_) - begun_;
    LayerSamples& samples = layers_[static_cast<std::size_t>(layer)];
    if (running_ == ActionKind::Backward) samples.backward.push_back(std::exchange(inputSeconds_, 0) + seconds);
    else samples.weightGrad.push_back(seconds);
}

}  // namespace shardlab::train
