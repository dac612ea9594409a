// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/expansion.h"

namespace shardlab::train {

namespace {

GateFunction functionOf(const BlockParts& parts) {
    switch (parts.activation) {
    case ActivationKind::ClampedSwiGlu: return {static_cast<float>(parts.gluLimit), static_cast<float>(parts.gluAlpha)};
    case ActivationKind::Gelu:
    case ActivationKind::GeGlu: return Activation::Gelu;
    case ActivationKind::SwiGlu: return Activation::Silu;
    case ActivationKind::SquaredRelu: return Activation::SquaredRelu;
    case ActivationKind::Default:
    case ActivationKind::GeluTanh:
    case ActivationKind::GeGluTanh: return Activation::GeluTanh;
    }
    return Activation::GeluTanh;
}

}  // namespace

Expansion::Expansion(const LayerContext& context, const std::string& name, int width, const Initial& initial)
    : device_(context.device()), again_(context.recompute.activations), gated_(context.parts.gated()),
      function_(functionOf(context.parts)),
      expansion_(context, name + (gated_ ? ".gate_up" : ".c_fc"), context.hidden, gated_ ? 2 * width : width, initial,
                 LinearCut::Columns, LinearRuns{gated_ ? 2 : 1}) {}

void Expansion::forward(int rows, ConstArray x, Array expanded, Array activated) const {
    if (fused() && !again_) return expansion_.forwardGelu(rows, x, expanded, activated);
    expansion_.forward(rows, x, expanded);
    activate(rows, expanded, activated);
}

void Expansion::activate(int rows, ConstArray expanded, Array activated) const {
    if (gated_) device_.gated(function_, rows, width(), expanded, activated);
    else device_.activate(function_.f, std::int64_t{rows} * width(), expanded, activated);
}

bool Expansion::activationGrad(int rows, const Linear& projection, ConstArray outputGradient, Array expanded,
                               Array scratch, const std::function<void(Array)>& masked, bool biasToo) const {
    if (fused()) {
        const bool sums = biasToo && !masked;
        projection.inputGradGelu(rows, outputGradient, expanded, scratch, sums ? expansion_.biasGradient() : Array{});
        if (masked) masked(expanded);
        return sums;
    }
    projection.inputGrad(rows, outputGradient, scratch);
    if (masked) masked(scratch);
    if (gated_) device_.gatedGrad(function_, rows, width(), scratch, expanded);
    else device_.activateGrad(function_.f, std::int64_t{rows} * width(), scratch, expanded);
    return false;
}

}  // namespace shardlab::train
