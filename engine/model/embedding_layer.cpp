// SPDX-License-Identifier: Apache-2.0
#include "engine/model/embedding_layer.h"

#include "engine/base/ranges.h"
#include "engine/model/token_buffer.h"

namespace shardlab {

EmbeddingLayer::EmbeddingLayer(const LayerContext& context, int vocabulary)
    : context_(context),
      shape_{context.samples, context.sequence, context.hidden,
             rangeBegin(vocabulary, context.tensor.size(), context.tensor.member()),
             rangeSize(vocabulary, context.tensor.size(), context.tensor.member())},
      tokens_(context.set.declare("wte.weight", {vocabulary, context.hidden}, {0.02}, true, Cut{0})),
      positions_(context.set.declare("wpe.weight", {context.sequence, context.hidden}, {0.02}, true)),
      dropout_(context.dropout, context.seed, "wte") {}

DropoutMask EmbeddingLayer::mask(const State& state) const {
    return dropout_.mask(state, context_.sequence, context_.tensor.firstOwnToken(context_.tokens()));
}

Buffer EmbeddingLayer::forward(State& state, std::span<const std::int32_t> tokens) {
    state.tokens = onDevice(context_.arena, tokens, MemoryCategory::Buffers);
    // Each token's row is some one member's, and the positions are counted once: the sum is exact.
    const ConstArray positions = context_.tensor.member() == 0 ? positions_.value() : ConstArray{};
    Buffer output = context_.tensor.sum(
        context_.allSize(), context_.types.activations, MemoryCategory::Activations, [&](Array partial) {
            context_.device().embed(shape_, tokenNumbers(state.tokens), tokens_.value(), positions, partial);
        });
    if (const DropoutMask drops = mask(state); drops.share > 0)
        context_.device().dropout(context_.ownTokens(), context_.hidden, drops, output.data());
    return output;
}

void EmbeddingLayer::inputGrad(State& state, Buffer outputGradient) {
    state.outputGradient = std::move(outputGradient);
}

void EmbeddingLayer::weightGrad(State& state) {
    if (const DropoutMask drops = mask(state); drops.share > 0)
        context_.device().dropout(context_.ownTokens(), context_.hidden, drops, state.outputGradient.data());
    {
        const AllTokens gradient = context_.tensor.gather(state.outputGradient, MemoryCategory::Temporary);
        context_.device().embedGrad(shape_, tokenNumbers(state.tokens), gradient.data(), tokens_.gradient(),
                                    positions_.gradient());
    }
    state.outputGradient = {};
    state.tokens = {};
}

}  // namespace shardlab
