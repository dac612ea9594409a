// SPDX-License-Identifier: Apache-2.0
#include "engine/train/stage_probe.h"

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/model/host_copy.h"

#include <algorithm>
#include <time.h>
#include <utility>

namespace shardlab {

double secondsOf(ProbeTime time) {
    timespec now{};
    clock_gettime(time == ProbeTime::Processor ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

StageProbe::StageProbe(const StageSpec& spec, Arena& arena, ProbeTime time)
    : spec_(spec), arena_(arena), time_(time), stage_(spec, arena),
      layers_(static_cast<std::size_t>(stage_.layers())) {
    const std::size_t tokens =
        static_cast<std::size_t>(spec.samples) * static_cast<std::size_t>(spec.model.sequence);
    RandomStream random(spec.seed, "profile");
    const auto token = [&] {
        const double word = random.uniform() * spec.model.vocabulary;
        return std::min(static_cast<std::int32_t>(word), spec.model.vocabulary - 1);
    };
    tokens_.resize(tokens);
    targets_.resize(tokens);
    std::ranges::generate(tokens_, token);
    std::ranges::generate(targets_, token);
    values_.resize(tokens * static_cast<std::size_t>(spec.model.hidden));
    std::ranges::generate(values_, [&] { return static_cast<float>(random.uniform() - 0.5); });
    for (const Parameter& parameter : stage_.parameters())
        if (!parameter.tied || parameter.owner)
            layers_[static_cast<std::size_t>(parameter.lowestLayer)].weightBytes +=
                static_cast<std::int64_t>(parameter.value.bytes().size());
    stage_.setHooks(this);
}

std::size_t StageProbe::layersOfBlock() const {
    const std::size_t ends = (spec_.first ? 1 : 0) + (spec_.last ? 1 : 0);
    return (layers_.size() - ends) / static_cast<std::size_t>(std::max(1, spec_.layers));
}

std::int64_t StageProbe::activations() const {
    return arena_.used()[static_cast<std::size_t>(MemoryCategory::Activations)];
}

Buffer StageProbe::boundary() {
    Buffer buffer = arena_.allocate(MemoryCategory::Buffers, values_.size(), stage_.types().activations);
    upload(arena_.device(), values_, buffer.span());
    return buffer;
}

void StageProbe::run(ActionKind kind, int microbatch) {
    running_ = kind;
    switch (kind) {
        case ActionKind::Forward:
            stage_.forward(microbatch, {tokens_, targets_}, spec_.first ? Buffer{} : boundary());
            break;
        case ActionKind::Backward: stage_.backward(microbatch, spec_.last ? Buffer{} : boundary(), 1); break;
        case ActionKind::InputGrad: stage_.inputGrad(microbatch, spec_.last ? Buffer{} : boundary(), 1); break;
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
    if (running_ == ActionKind::Backward)
        samples.backward.push_back(std::exchange(inputSeconds_, 0) + seconds);
    else
        samples.weightGrad.push_back(seconds);
}

}  // namespace shardlab
