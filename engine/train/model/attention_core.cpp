// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/attention_core.h"

#include "engine/base/ranges.h"

namespace shardlab::train {

namespace {

AttentionShape shapeOf(const LayerContext& context, int heads, int width, int window) {
    const int members = context.tensor.size(), member = context.tensor.member();
    AttentionShape shape{context.samples, context.sequence, rangeSize(heads, members, member), width, window};
    shape.rule.cap = static_cast<float>(context.parts.attentionCap);
    if (context.parts.alibi) shape.rule.slopes = {heads, rangeBegin(heads, members, member)};
    shape.sinks = context.parts.sinks;
    return shape;
}

}  // namespace

AttentionCore::AttentionCore(const LayerContext& context, const std::string& name, int heads, int width, int window)
    : context_(context), shape_(shapeOf(context, heads, width, window)), allHeads_(heads),
      firstHead_(rangeBegin(heads, context.tensor.size(), context.tensor.member())),
      dropout_(context.dropout, context.seed, name),
      needs_(context.device().attentionNeeds(shape_, context.types.activations, context.dropout > 0)) {
    if (context.context) ring_.emplace(context, shape_);
}

AttentionDropout AttentionCore::dropout(const LayerState& state) const {
    const std::int64_t rowsOfSample = std::int64_t{allHeads_} * shape_.sequence;
    return {dropout_.mask(state, rowsOfSample, std::int64_t{firstHead_} * shape_.sequence), rowsOfSample};
}

Buffer AttentionCore::forward(const LayerState& state, const Buffer& qkv, const Buffer& attended,
                              const HeadSinks& sinks) const {
    if (ring_) {
        Buffer kept = context_.arena.allocate(MemoryCategory::Activations, ring_->kept());
        ring_->forward(qkv, kept.floats(), attended, sinks);
        return kept;
    }
    Buffer kept = context_.arena.allocate(MemoryCategory::Activations, needs_.kept,
                                          needs_.keepsProbabilities ? context_.types.activations : DType::F32);
    const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, needs_.forwardScratch);
    context_.device().attention(shape_, qkv.data(), kept.data(), attended.data(), dropout(state), sinks,
                                scratch.floats());
    return kept;
}

Buffer AttentionCore::backward(const LayerState& state, Buffer qkv, Buffer kept, const Buffer& attended,
                               const Buffer& attendedGradient, const HeadSinks& sinks) const {
    if (ring_) {
        ring_->backward(qkv, kept.floats(), attended, attendedGradient, sinks);
        return qkv;
    }
    const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, needs_.backwardScratch);
    Buffer apart;
    if (!needs_.inPlace) apart = context_.allocate(MemoryCategory::Activations, qkv.size());
    const Buffer& gradient = needs_.inPlace ? qkv : apart;
    context_.device().attentionGrad(shape_, qkv.data(), kept.data(), attended.data(), attendedGradient.data(),
                                    gradient.data(), dropout(state), sinks, scratch.floats());
    return needs_.inPlace ? std::move(qkv) : std::move(apart);
}

}  // namespace shardlab::train
