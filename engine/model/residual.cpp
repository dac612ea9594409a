// SPDX-License-Identifier: Apache-2.0
#include "engine/model/residual.h"

#include "kernels/bias.h"

namespace shardlab {

Residual::Residual(const LayerContext& context, const std::string& name, int inputs, double deviation)
    : arena_(context.arena),
      tensor_(context.tensor),
      sequence_(context.sequence),
      hidden_(context.hidden),
      tokens_(context.tokens()),
      ownTokens_(context.ownTokens()),
      projection_(context.set, name, inputs, hidden_, deviation, LinearCut::Rows),
      dropout_(context.dropout, context.seed, name) {}

DropoutMask Residual::mask(const LayerState& state) const {
    return dropout_.mask(state, sequence_, tensor_.firstOwnToken(tokens_));
}

Buffer Residual::forward(const LayerState& state, const Buffer& inner, const Buffer& input) const {
    const std::size_t floats = static_cast<std::size_t>(tokens_) * static_cast<std::size_t>(hidden_);
    Buffer output = tensor_.sum(floats, MemoryCategory::Activations,
                                [&](float* partial) { projection_.multiply(tokens_, inner.data(), partial); });
    if (const DropoutMask drops = mask(state); drops.share > 0)
        addBiasDropoutAndResidual(ownTokens_, hidden_, projection_.bias(), drops, input.data(), output.data());
    else
        addBiasAndResidual(ownTokens_, hidden_, projection_.bias(), input.data(), output.data());
    return output;
}

ResidualGradient Residual::inputGrad(const LayerState& state, Buffer outputGradient, MemoryCategory kept) const {
    const DropoutMask drops = mask(state);
    if (drops.share == 0) {
        Buffer gathered = tensor_.gather(outputGradient, kept).take();
        if (gathered.empty()) return {std::move(outputGradient), {}};
        return {std::move(gathered), std::move(outputGradient)};
    }
    const MemoryCategory category = tensor_.splitsTokens() ? MemoryCategory::Temporary : kept;
    Buffer masked = arena_.allocate(category, outputGradient.size());
    dropoutTo(ownTokens_, hidden_, drops, outputGradient.data(), masked.data());
    Buffer gathered = tensor_.gather(masked, kept).take();
    return {gathered.empty() ? std::move(masked) : std::move(gathered), std::move(outputGradient)};
}

}  // namespace shardlab
