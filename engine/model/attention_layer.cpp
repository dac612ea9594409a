// SPDX-License-Identifier: Apache-2.0
#include "engine/model/attention_layer.h"

#include "engine/base/ranges.h"

namespace shardlab {

struct AttentionLayer::State : LayerState {
    Buffer statistics;
    Buffer normed;
    Buffer qkv;  ///< its gradient after inputGrad
    Buffer kept;  ///< by the device's attention, for its gradient
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
      qkv_(context, block + ".attn.c_attn", context.hidden, 3 * context.hidden, 0.02, LinearCut::Columns, 3),
      residual_(context, block + ".attn.c_proj", context.hidden, projectionDeviation),
      dropout_(context.dropout, context.seed, block + ".attn"),
      needs_(context.device().attentionNeeds(shape_, context.types.activations, context.dropout > 0)) {
    if (context.context) ring_.emplace(context, shape_.heads, shape_.width);
}

std::unique_ptr<LayerState> AttentionLayer::newState() const { return std::make_unique<State>(); }

AttentionDropout AttentionLayer::dropout(const LayerState& state) const {
    const std::int64_t rowsOfSample = std::int64_t{allHeads_} * shape_.sequence;
    return {dropout_.mask(state, rowsOfSample, std::int64_t{firstHead_} * shape_.sequence), rowsOfSample};
}

void AttentionLayer::attend(State& held) const {
    if (ring_) {
        held.kept = context_.arena.allocate(MemoryCategory::Activations, ring_->kept());
        ring_->forward(held.qkv, held.kept.floats(), held.attended);
        return;
    }
    held.kept = context_.arena.allocate(MemoryCategory::Activations, needs_.kept,
                                        needs_.keepsProbabilities ? context_.types.activations : DType::F32);
    const AttentionDropout drops = dropout(held);
    const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, needs_.forwardScratch);
    context_.device().attention(shape_, held.qkv.data(), held.kept.data(), held.attended.data(), drops,
                                scratch.floats());
}

Buffer AttentionLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const auto allocate = [&](std::size_t elements) {
        return context_.allocate(MemoryCategory::Activations, elements);
    };
    const int tokens = context_.tokens();
    const int ownTokens = context_.ownTokens();
    const std::size_t n = static_cast<std::size_t>(tokens);
    const std::size_t columns = static_cast<std::size_t>(qkv_.outputs());

    held.input = std::move(input);
    held.statistics = context_.arena.allocate(MemoryCategory::Activations, 2 * static_cast<std::size_t>(ownTokens));
    held.normed = allocate(context_.ownSize());
    norm_.forward(ownTokens, held.input.data(), held.statistics.floats(), held.normed.data());

    held.qkv = allocate(n * columns);
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        qkv_.forward(tokens, normed.data(), held.qkv.data());
    }
    held.attended = allocate(n * columns / 3);
    attend(held);
    if (context_.recompute.core) held.kept = {};
    return residual_.forward(held, held.attended, held.input);
}

void AttentionLayer::attentionGrad(State& held, const Buffer& branchGradient) const {
    Buffer attendedGradient = context_.allocate(MemoryCategory::Temporary, held.attended.size());
    residual_.projection().inputGrad(context_.tokens(), branchGradient.data(), attendedGradient.data());
    if (ring_) {
        ring_->backward(held.qkv, held.kept.floats(), held.attended, attendedGradient);
        held.kept = {};
        return;
    }
    const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, needs_.backwardScratch);
    Buffer apart;
    if (!needs_.inPlace) apart = context_.allocate(MemoryCategory::Activations, held.qkv.size());
    const Buffer& gradient = needs_.inPlace ? held.qkv : apart;
    context_.device().attentionGrad(shape_, held.qkv.data(), held.kept.data(), held.attended.data(),
                                    attendedGradient.data(), gradient.data(), dropout(held), scratch.floats());
    if (!needs_.inPlace) held.qkv = std::move(apart);
    held.kept = {};
}

Buffer AttentionLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    ResidualGradient gradient = residual_.inputGrad(held, std::move(outputGradient), kept);
    if (context_.recompute.core) context_.recompute.again([&] { attend(held); });
    attentionGrad(held, gradient.branch);
    held.normedGradient =
        context_.tensor.sum(context_.allSize(), context_.types.activations, kept,
                            [&](Array partial) { qkv_.inputGrad(tokens, held.qkv.data(), partial); });
    Buffer inputGradient = context_.allocate(kept, held.input.size());
    norm_.inputGrad(context_.ownTokens(), held.input.data(), held.statistics.floats(), held.normedGradient.data(),
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
    norm_.weightGrad(context_.ownTokens(), held.input.data(), held.statistics.floats(), held.normedGradient.data());
    held = {};
}

}  // namespace shardlab
