// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/attention_core.h"

#include "engine/base/ranges.h"

namespace shardlab::train {

namespace {

constexpr int queriesKeysValues = 3;

bool inGroup(const LayerContext& context, ContextKind kind) {
    return context.context && context.context->kind() == kind;
}

int firstHeadOf(const LayerContext& context, int heads, int together) {
    return rangeBegin(heads, context.tensor.size(), context.tensor.member(), together);
}

AttentionShape shapeOf(const LayerContext& context, int heads, int width, int window, int together) {
    const int own = rangeSize(heads, context.tensor.size(), context.tensor.member(), together);
    AttentionShape shape{context.samples, context.sequence, own, width, window};
    shape.rule.cap = static_cast<float>(context.parts.attentionCap);
    if (context.parts.alibi) shape.rule.slopes = {heads, firstHeadOf(context, heads, together)};
    shape.sinks = context.parts.sinks;
    return shape;
}

}  // namespace

AttentionCore::AttentionCore(const LayerContext& context, const std::string& name, int heads, int width, int window,
                             int together)
    : context_(context), shape_(shapeOf(context, heads, width, window, together)),
      ring_(inGroup(context, ContextKind::Ring) ? std::optional<RingAttention>(std::in_place, context, shape_)
                                                : std::nullopt),
      exchange_(inGroup(context, ContextKind::Ulysses)
                    ? std::optional<HeadExchange>(std::in_place, context, shape_.heads, width)
                    : std::nullopt),
      attention_(shape_), allHeads_(heads), firstHead_(firstHeadOf(context, heads, together)),
      dropout_(context.dropout, context.seed, name) {
    if (exchange_) {
        attention_.sequence = exchange_->sequence();
        attention_.heads = exchange_->heads();
        if (attention_.rule.slopes.heads > 0) attention_.rule.slopes.first += exchange_->firstHead();
        firstHead_ += exchange_->firstHead();
    }
    needs_ = context.device().attentionNeeds(attention_, context.types.activations, context.dropout > 0);
}

AttentionDropout AttentionCore::dropout(const LayerState& state) const {
    const std::int64_t sequence = context_.wholeSequence(), rowsOfSample = allHeads_ * sequence;
    return {dropout_.mask(state, rowsOfSample, firstHead_ * sequence), rowsOfSample};
}

HeadSinks AttentionCore::between(const HeadSinks& sinks) const {
    if (!exchange_ || !sinks) return sinks;
    const int first = exchange_->firstHead();
    return {sinks.scores + first, sinks.gradient ? sinks.gradient + first : nullptr};
}

void AttentionCore::makeOperands(const Buffer& qkv, AttentionKept& kept) const {
    if (!exchange_) return;
    kept.operands = context_.allocate(MemoryCategory::Activations, qkv.size());
    exchange_->toHeads(qkv, queriesKeysValues, kept.operands);
}

AttentionKept AttentionCore::forward(const LayerState& state, const Buffer& qkv, const Buffer& attended,
                                     const HeadSinks& sinks) const {
    AttentionKept kept;
    if (ring_) {
        kept.rows = context_.arena.allocate(MemoryCategory::Activations, ring_->kept());
        ring_->forward(qkv, kept.rows.floats(), attended, dropout(state), sinks);
        return kept;
    }
    kept.rows = context_.arena.allocate(MemoryCategory::Activations, needs_.kept,
                                        needs_.keepsProbabilities ? context_.types.activations : DType::F32);
    if (exchange_) kept.output = context_.allocate(MemoryCategory::Activations, attended.size());
    makeOperands(qkv, kept);
    {
        const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, needs_.forwardScratch);
        context_.device().attention(attention_, (exchange_ ? kept.operands : qkv).data(), kept.rows.data(),
                                    (exchange_ ? kept.output : attended).data(), dropout(state), between(sinks),
                                    scratch.floats());
    }
    if (exchange_) exchange_->toTokens(kept.output, 1, attended);
    return kept;
}

void AttentionCore::exchangedBackward(const LayerState& state, const Buffer& qkv, const AttentionKept& kept,
                                      const Buffer& attendedGradient, const HeadSinks& sinks) const {
    Buffer outputGradient = context_.allocate(MemoryCategory::Temporary, kept.output.size()), apart;
    exchange_->toHeads(attendedGradient, 1, outputGradient);
    if (!needs_.inPlace) apart = context_.allocate(MemoryCategory::Temporary, kept.operands.size());
    const Buffer& gradient = needs_.inPlace ? kept.operands : apart;
    {
        const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, needs_.backwardScratch);
        context_.device().attentionGrad(attention_, kept.operands.data(), kept.rows.data(), kept.output.data(),
                                        outputGradient.data(), gradient.data(), dropout(state), between(sinks),
                                        scratch.floats());
    }
    outputGradient = {};
    exchange_->toTokens(gradient, queriesKeysValues, qkv);
}

Buffer AttentionCore::backward(const LayerState& state, Buffer qkv, AttentionKept kept, const Buffer& attended,
                               const Buffer& attendedGradient, const HeadSinks& sinks) const {
    if (ring_) {
        ring_->backward(qkv, kept.rows.floats(), attended, attendedGradient, dropout(state), sinks);
        return qkv;
    }
    if (exchange_) {
        exchangedBackward(state, qkv, kept, attendedGradient, sinks);
        return qkv;
    }
    const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, needs_.backwardScratch);
    Buffer apart;
    if (!needs_.inPlace) apart = context_.allocate(MemoryCategory::Activations, qkv.size());
    const Buffer& gradient = needs_.inPlace ? qkv : apart;
    context_.device().attentionGrad(attention_, qkv.data(), kept.rows.data(), attended.data(), attendedGradient.data(),
                                    gradient.data(), dropout(state), sinks, scratch.floats());
    return needs_.inPlace ? std::move(qkv) : std::move(apart);
}

}  // namespace shardlab::train
