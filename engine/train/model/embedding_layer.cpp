// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/embedding_layer.h"

#include "engine/base/ranges.h"
#include "engine/train/model/token_buffer.h"

namespace shardlab::train {

EmbeddingLayer::EmbeddingLayer(const LayerContext& context, int vocabulary, bool bare)
    : context_(context), shape_{context.samples, context.sequence, context.hidden,
                                rangeBegin(vocabulary, context.tensor.size(), context.tensor.member()),
                                rangeSize(vocabulary, context.tensor.size(), context.tensor.member())},
      runs_(contextRuns(context.wholeSequence(), context.sharers(), context.context ? context.context->member() : 0)),
      tokens_(context.set.declare("wte.weight", {vocabulary, context.hidden}, {0.02}, true, Cut{0})),
      dropout_(bare ? 0 : context.dropout, context.seed, "wte") {
    if (!bare && context.parts.learnsPositions())
        positions_ = context.set.declare("wpe.weight", {context.wholeSequence(), context.hidden}, {0.02}, true);
}

void EmbeddingLayer::embed(const State& state, Array output) const {
    // Exactly one member has a token's row, and one adds the positions: the sum is exact.
    const bool counts = context_.tensor.member() == 0;
    Device& device = context_.device();
    if (!context_.context || !positions_)
        return device.embed(shape_, tokenNumbers(state.tokens), tokens_.value(),
                            counts && positions_ ? positions_->value() : ConstArray{}, output);
    const Buffer rows = context_.arena.allocate(MemoryCategory::Temporary, positionSize(), context_.types.weights);
    std::ptrdiff_t at = 0;
    for (const TokenRun& run : runs_) {
        const std::ptrdiff_t count = std::ptrdiff_t{run.count} * context_.hidden;
        device.copy((positions_->value() + std::ptrdiff_t{run.first} * context_.hidden).data, (rows.data() + at).data,
                    static_cast<std::size_t>(count) * sizeOf(rows.type()));
        at += count;
    }
    device.embed(shape_, tokenNumbers(state.tokens), tokens_.value(), counts ? rows.data() : ConstArray{}, output);
}

void EmbeddingLayer::embedGrad(const State& state, ConstArray outputGradient) const {
    Device& device = context_.device();
    if (!context_.context || !positions_)
        return device.embedGrad(shape_, tokenNumbers(state.tokens), outputGradient, tokens_.gradient(),
                                positions_ ? positions_->gradient() : Array{});
    const Buffer rows =
        context_.arena.allocateZeroed(MemoryCategory::Temporary, positionSize(), context_.types.gradients);
    device.embedGrad(shape_, tokenNumbers(state.tokens), outputGradient, tokens_.gradient(), rows.data());
    std::ptrdiff_t at = 0;
    for (const TokenRun& run : runs_) {
        const std::ptrdiff_t count = std::ptrdiff_t{run.count} * context_.hidden;
        device.add(count, rows.data() + at, positions_->gradient() + std::ptrdiff_t{run.first} * context_.hidden);
        at += count;
    }
}

Buffer EmbeddingLayer::forward(State& state, std::span<const std::int32_t> tokens) {
    state.tokens = onDevice(context_.arena, tokens, MemoryCategory::Buffers);
    return forward(state);
}

Buffer EmbeddingLayer::forward(const State& state) const {
    Buffer output = context_.tensor.sum(context_.allSize(), context_.types.activations, MemoryCategory::Activations,
                                        [&](Array partial) { embed(state, partial); });
    if (const DropoutMask drops = dropout_.ofOwnTokens(context_, state); drops.share > 0)
        context_.device().dropout(context_.ownTokens(), context_.hidden, drops, output.data());
    return output;
}

void EmbeddingLayer::inputGrad(State& state, Buffer outputGradient) {
    state.outputGradient = std::move(outputGradient);
}

void EmbeddingLayer::weightGrad(State& state) {
    if (const DropoutMask drops = dropout_.ofOwnTokens(context_, state); drops.share > 0)
        context_.device().dropout(context_.ownTokens(), context_.hidden, drops, state.outputGradient.data());
    {
        const AllTokens gradient = context_.tensor.gather(state.outputGradient, MemoryCategory::Temporary);
        embedGrad(state, gradient.data());
    }
    state.outputGradient = {};
    state.tokens = {};
}

}  // namespace shardlab::train
