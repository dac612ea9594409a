// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/residual.h"

namespace shardlab::train {

Residual::Residual(const LayerContext& context, const std::string& name, int inputs, double deviation, int together)
    : context_(context),
      projection_(context, name, inputs, context.hidden, deviation, LinearCut::Rows, LinearRuns{.together = together}),
      dropout_(context.dropout, context.seed, name) {}

Buffer Residual::forward(const LayerState& state, const Buffer& inner, const Buffer& input) const {
    const DropoutMask drops = dropout_.ofOwnTokens(context_, state);
    if (context_.tensor.size() == 1 && drops.share == 0) {
        Buffer whole = context_.allocate(MemoryCategory::Activations, context_.ownSize());
        projection_.forwardResidual(context_.tokens(), inner.data(), input.data(), whole.data());
        return whole;
    }
    Buffer output =
        context_.tensor.sum(context_.allSize(), context_.types.activations, MemoryCategory::Activations,
                            [&](Array partial) { projection_.multiply(context_.tokens(), inner.data(), partial); });
    Device& device = context_.device();
    const int tokens = context_.ownTokens();
    const ConstArray bias = projection_.bias();
    if (bias && drops.share > 0) {
        device.addBiasDropoutAndResidual(tokens, context_.hidden, bias, drops, input.data(), output.data());
        return output;
    }
    if (drops.share > 0) device.dropout(tokens, context_.hidden, drops, output.data());
    device.addBiasAndResidual(tokens, context_.hidden, bias, input.data(), output.data());
    return output;
}

ResidualGradient Residual::inputGrad(BranchState& state, Buffer outputGradient, MemoryCategory kept) const {
    const DropoutMask drops = dropout_.ofOwnTokens(context_, state);
    if (drops.share == 0) {
        Buffer gathered = context_.tensor.gather(outputGradient, kept).take();
        if (gathered.empty()) return {std::move(outputGradient), {}};
        return {std::move(gathered), std::move(outputGradient)};
    }
    const MemoryCategory category = context_.tensor.splitsTokens() ? MemoryCategory::Temporary : kept;
    Buffer masked = context_.allocate(category, outputGradient.size());
    const Array bias = projection_.biasGradient();
    state.outputBiasDone = bias && state.weightsToo && !context_.tensor.splitsTokens();
    context_.device().dropoutTo(context_.ownTokens(), context_.hidden, drops, outputGradient.data(), masked.data(),
                                state.outputBiasDone ? bias : Array{});
    Buffer gathered = context_.tensor.gather(masked, kept).take();
    return {gathered.empty() ? std::move(masked) : std::move(gathered), std::move(outputGradient)};
}

}  // namespace shardlab::train
