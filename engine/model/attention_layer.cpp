// SPDX-License-Identifier: Apache-2.0
#include "engine/model/attention_layer.h"

#include "engine/base/ranges.h"
#include "kernels/bias.h"

namespace shardlab {

struct AttentionLayer::State : LayerState {
    Buffer statistics;
    Buffer normed;
    Buffer qkv;  ///< its gradient after inputGrad
    Buffer probabilities;
    Buffer attended;
    Buffer branchGradient;
    Buffer normedGradient;
};

AttentionLayer::AttentionLayer(const LayerContext& context, const std::string& block, int heads,
                               double projectionDeviation)
    : context_(context),
      shape_{context.samples, context.sequence, rangeSize(heads, context.tensor.size(), context.tensor.member()),
             context.hidden / heads},
      allHeads_(heads),
      firstHead_(rangeBegin(heads, context.tensor.size(), context.tensor.member())),
      norm_(context, block + ".ln_1"),
      qkv_(context.set, block + ".attn.c_attn", context.hidden, 3 * context.hidden, 0.02, LinearCut::Columns, 3),
      residual_(context, block + ".attn.c_proj", context.hidden, projectionDeviation),
      dropout_(context.dropout, context.seed, block + ".attn") {}

std::unique_ptr<LayerState> AttentionLayer::newState() const { return std::make_unique<State>(); }

AttentionDropout AttentionLayer::dropout(const LayerState& state) const {
    const std::int64_t rowsOfSample = std::int64_t{allHeads_} * shape_.sequence;
    return {dropout_.mask(state, rowsOfSample, std::int64_t{firstHead_} * shape_.sequence), rowsOfSample};
}

void AttentionLayer::attend(State& held) const {
    const std::size_t rows = static_cast<std::size_t>(context_.tokens()) * static_cast<std::size_t>(shape_.heads);
    held.probabilities =
        context_.arena.allocate(MemoryCategory::Activations, rows * static_cast<std::size_t>(shape_.sequence));
    if (const AttentionDropout drops = dropout(held); drops.mask.share > 0) {
        const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, attentionDropoutScratch(shape_));
        attention(shape_, held.qkv.data(), held.probabilities.data(), held.attended.data(), drops, scratch.data());
    } else {
        attention(shape_, held.qkv.data(), held.probabilities.data(), held.attended.data());
    }
}

Buffer AttentionLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const auto allocate = [&](std::size_t floats) {
        return context_.arena.allocate(MemoryCategory::Activations, floats);
    };
    const int tokens = context_.tokens();
    const int ownTokens = context_.ownTokens();
    const std::size_t n = static_cast<std::size_t>(tokens);
    const std::size_t columns = static_cast<std::size_t>(qkv_.outputs());

    held.input = std::move(input);
    held.statistics = allocate(2 * static_cast<std::size_t>(ownTokens));
    held.normed = allocate(context_.ownFloats());
    norm_.forward(ownTokens, held.input.data(), held.statistics.data(), held.normed.data());

    held.qkv = allocate(n * columns);
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        qkv_.multiply(tokens, normed.data(), held.qkv.data());
    }
    addBias(tokens, qkv_.outputs(), qkv_.bias(), held.qkv.data());

    held.attended = allocate(n * columns / 3);
    attend(held);
    if (context_.recompute.core) held.probabilities = {};
    return residual_.forward(held, held.attended, held.input);
}

Buffer AttentionLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    ResidualGradient gradient = residual_.inputGrad(held, std::move(outputGradient), kept);
    if (context_.recompute.core) context_.recompute.again([&] { attend(held); });
    {
        Buffer attendedGradient = context_.arena.allocate(MemoryCategory::Temporary, held.attended.size());
        residual_.projection().inputGrad(tokens, gradient.branch.data(), attendedGradient.data());
        Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, attentionScratch(shape_));
        attentionGrad(shape_, held.probabilities.data(), attendedGradient.data(), held.qkv.data(), scratch.data(),
                      dropout(held));
        held.probabilities = {};
    }
    held.normedGradient = context_.tensor.sum(context_.allFloats(), kept, [&](float* partial) {
        qkv_.inputGrad(tokens, held.qkv.data(), partial);
    });
    Buffer inputGradient = context_.arena.allocate(kept, held.input.size());
    norm_.inputGrad(context_.ownTokens(), held.input.data(), held.statistics.data(), held.normedGradient.data(),
                    gradient.aroundData(), inputGradient.data());
    held.branchGradient = std::move(gradient.branch);
    return inputGradient;
}

void AttentionLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    residual_.projection().weightGrad(tokens, held.attended.data(), held.branchGradient.data());
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        qkv_.weightGrad(tokens, normed.data(), held.qkv.data());
    }
    norm_.weightGrad(context_.ownTokens(), held.input.data(), held.statistics.data(), held.normedGradient.data());
    held = {};
}

}  // namespace shardlab
