// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/ring_attention.h"

#include <utility>

namespace shardlab::train {

namespace {

/// Streams of hops that are under way at the same time.
constexpr int values = 0, gradients = 1;

void clear(Device& device, const Buffer& buffer) {
    const std::span<std::byte> bytes = buffer.span().bytes();
    device.clear(bytes.data(), bytes.size());
}

}  // namespace

RingAttention::RingAttention(const LayerContext& context, const AttentionShape& shape)
    : context_(context), group_(*context.context), whole_{.samples = shape.samples,
                                                          .rows = shape.sequence,
                                                          .heads = shape.heads,
                                                          .width = shape.width,
                                                          .queries = shape.sequence,
                                                          .keys = shape.sequence},
      columns_(static_cast<std::size_t>(context.tokens()) * static_cast<std::size_t>(shape.heads) *
               static_cast<std::size_t>(shape.width)),
      scratch_(context.device().attentionBlockScratch(shape.sequence, shape.width)) {
    whole_.window = shape.window;
    whole_.rule = shape.rule;
    whole_.queryRows = context.positionsOf(group_.member());
    whole_.sequence = context.wholeSequence();
}

std::size_t RingAttention::kept() const {
    return static_cast<std::size_t>(context_.tokens()) * static_cast<std::size_t>(whole_.heads);
}

AttentionBlock RingAttention::blockOf(int owner, const AttentionDropout& dropout) const {
    AttentionBlock block = whole_;
    const int piece = whole_.rows / 2;
    block.causal = owner == group_.member();
    block.keyRows = context_.positionsOf(owner);
    block.dropout = dropout;
    if (owner < group_.member()) block.keys = piece;
    if (owner > group_.member()) block.firstQuery = block.queries = piece;
    return block;
}

Buffer RingAttention::ownKeysValues(const Buffer& qkv) const {
    Buffer own = context_.allocate(MemoryCategory::Temporary, 2 * columns_);
    context_.device().takeKeysValues(context_.tokens(), whole_.heads * whole_.width, qkv.data(), own.data());
    return own;
}

void RingAttention::forward(const Buffer& qkv, float* logSums, const Buffer& attended, const AttentionDropout& dropout,
                            const HeadSinks& sinks) const {
    Device& device = context_.device();
    Buffer present = ownKeysValues(qkv);
    Buffer coming = context_.allocate(MemoryCategory::Temporary, 2 * columns_);
    const bool apart = context_.types.activations != DType::F32;
    const Buffer sums = apart ? floats(columns_) : Buffer{};
    const Buffer scratch = floats(scratch_);
    float* const output = apart ? sums.floats() : attended.floats();
    for (int step = 0; step < group_.size(); ++step) {
        std::unique_ptr<ContextGroup::Hop> hop;
        if (step + 1 < group_.size()) hop = group_.pass(present.span(), coming.span(), values);
        device.attentionBlock(blockOf(ownerAt(step), dropout), qkv.data(), present.data(), sinks, step == 0, output,
                              logSums, scratch.floats());
        if (hop) hop->wait();
        std::swap(present, coming);
    }
    if (apart) device.convert(static_cast<std::int64_t>(columns_), sums.data(), attended.data());
}

void RingAttention::backward(const Buffer& qkv, const float* logSums, const Buffer& attended,
                             const Buffer& attendedGradient, const AttentionDropout& dropout,
                             const HeadSinks& sinks) const {
    Device& device = context_.device();
    Buffer present = ownKeysValues(qkv);
    Buffer coming = context_.allocate(MemoryCategory::Temporary, 2 * columns_);
    const Buffer queryGradient = floats(columns_);
    Buffer own = floats(2 * columns_), arriving = floats(2 * columns_), leaving = floats(2 * columns_);
    const Buffer scratch = floats(scratch_);
    clear(device, queryGradient);
    if (sinks) device.sinkGrad(whole_, attended.data(), attendedGradient.data(), logSums, sinks);
    std::unique_ptr<ContextGroup::Hop> home;  // carries on the gradients of the previous block
    for (int step = 0; step < group_.size(); ++step) {
        std::unique_ptr<ContextGroup::Hop> hop;
        if (step + 1 < group_.size()) hop = group_.pass(present.span(), coming.span(), values);
        clear(device, own);
        device.attentionBlockGrad(blockOf(ownerAt(step), dropout), qkv.data(), present.data(), attended.data(),
                                  attendedGradient.data(), logSums, queryGradient.floats(), own.floats(),
                                  scratch.floats());
        if (home) {
            home->wait();
            device.add(static_cast<std::int64_t>(2 * columns_), arriving.data(), own.data());
        }
        std::swap(own, leaving);
        home = group_.pass(leaving.span(), arriving.span(), gradients);
        if (hop) hop->wait();
        std::swap(present, coming);
    }
    home->wait();
    device.joinGradients(context_.tokens(), whole_.heads * whole_.width, queryGradient.floats(), arriving.floats(),
                         qkv.data());
}

}  // namespace shardlab::train
