// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/profile.h"

#include "engine/base/saturate.h"
#include "engine/layout/formats.h"
#include "engine/predict/plan/costs.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace shardlab::predict {
namespace {

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
    return "unknown processor";
}

void add(PartProfile& sum, const PartProfile& part) {
    sum.forward += part.forward;
    sum.backward += part.backward;
    sum.inputGrad += part.inputGrad;
    sum.weightGrad += part.weightGrad;
    sum.optimizer += part.optimizer;
    sum.activationBytes = saturatedSum(sum.activationBytes, part.activationBytes);
    sum.weightBytes = saturatedSum(sum.weightBytes, part.weightBytes);
}

/// What says the same in fewer words: a scaled loss changes no layer's time, and fp32 has one way only.
PrecisionSpec formatsAlone(const PrecisionSpec& precision) {
    const NumberFormats formats = numberFormats(precision);
    PrecisionSpec alone;
    alone.compute = precision.compute;
    if (formats.activations == NumberFormat::Fp32) return alone;
    alone.weights = precision.weights;
    if (formats.gradients != formats.weights) alone.gradients = GradientFormat::Fp32;
    return alone;
}

}  // namespace

Machine thisMachine() { return {processorName(), hostCores()}; }

double Profile::error() const {
    return stepSeconds > 0 ? std::abs(predictedStepSeconds - stepSeconds) / stepSeconds : 0;
}

PartProfile blockProfile(const Profile& profile, int layer) {
    PartProfile sum;
    sum.name = "block";
    if (profile.blocks.empty()) return sum;
    const BlockProfile* block = &profile.blocks.front();
    for (const BlockProfile& candidate : profile.blocks) {
        block = &candidate;
        if (layer < candidate.layers) break;
        layer -= candidate.layers;
    }
    for (const PartProfile& part : block->parts) add(sum, part);
    return sum;
}

Layout profiledParts(Layout layout) {
    layout.name.clear();
    // The blocks of a cnn all differ, and the highest of others are those of modules.
    if (!readsImages(layout.model) && predictionModules(layout.model) == 0) layout.model.layers = 0;
    layout.data = {};
    layout.cluster = {};
    layout.parallel.data = layout.parallel.pipeline = 1;
    layout.parallel.exchange = Exchange::AllReduce;
    layout.parallel.zero = 0;
    layout.schedule = {};
    layout.memory = {.activations = layout.memory.activations};
    layout.batch.global = layout.batch.micro;
    layout.precision = formatsAlone(layout.precision);
    const OptimizerKind kind = layout.optimizer.kind;
    const bool momentum = layout.optimizer.momentum > 0;
    layout.optimizer = {};
    layout.optimizer.kind = kind;
    layout.optimizer.momentum = momentum;
    layout.run = {};
    return layout;
}

bool fits(const Profile& profile, const Layout& layout, const Machine& machine) {
    return !layout.cluster.pace && profile.machine == machine &&
           profile.layout.cluster.device == layout.cluster.device &&
           profile.threads == threadsPerRank(rankCount(layout), machine.cores) &&
           profiledParts(profile.layout) == profiledParts(layout);
}

int threadsPerRank(int ranks, int cores) { return std::max(1, cores / ranks); }

}  // namespace shardlab::predict
