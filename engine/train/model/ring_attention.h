// SPDX-License-Identifier: Apache-2.0
// Attention of a context group (ring attention, 2310.01889; layout/context_split.h divides the pieces of a sample
// evenly). Each member has queries, keys and values of its own tokens. Keys and values travel round the ring, one block
// a step, so that after c steps each member has used all of them; kernels/block_attention.h merges the results of the
// blocks. In step k member i has the block of member j = i − k:
//
//   j = i   its own block: rows are in order of position, so a causal mask is right
//   j < i   the first of j's two pieces lies before all of i's tokens, the second behind: all queries, half of the keys
//   j > i   the first of i's two pieces lies before all of j's tokens, the second behind: half of the queries, all keys
//
// Forward:  the next block travels while one is worked on: c − 1 hops.
// Backward: the blocks travel once more. The gradients of keys and values follow their block, and each member adds its
//           share, until they are back: c hops, each during the next step.
#pragma once

#include "engine/train/model/context_group.h"
#include "engine/train/model/layer_context.h"
#include "kernels/attention.h"
#include "kernels/block_attention.h"

namespace shardlab::train {

/// Memory, with N tokens of this member, g columns of its heads, a heads: forward keeps log sums, N·a fp32 (`kept`).
/// Temporary memory is two times 2N·g for keys and values in the activations' type; in fp32 N·g for the output of the
/// forward, where activations are not fp32, and N·g and three times 2N·g in the backward; and what the device's block
/// needs.
class RingAttention {
public:
    /// The shape is that of this member, of its tokens and its share of the heads. `context.context` must not be null.
    /// Blocks travel all the way round whether a query sees them within its window or not.
    RingAttention(const LayerContext& context, const AttentionShape& shape);

    std::size_t kept() const;
    /// Computes logSums, fp32, and attended [N, g] from qkv [N, 3g].
    void forward(const Buffer& qkv, float* logSums, const Buffer& attended, const AttentionDropout& dropout,
                 const HeadSinks& sinks) const;
    /// Overwrites qkv with its gradient, and the gradient of the sinks with what this member's tokens make of it.
    void backward(const Buffer& qkv, const float* logSums, const Buffer& attended, const Buffer& attendedGradient,
                  const AttentionDropout& dropout, const HeadSinks& sinks) const;

private:
    AttentionBlock blockOf(int owner, const AttentionDropout& dropout) const;
    int ownerAt(int step) const { return (group_.member() - step + group_.size()) % group_.size(); }
    Buffer floats(std::size_t elements) const { return context_.arena.allocate(MemoryCategory::Temporary, elements); }
    Buffer ownKeysValues(const Buffer& qkv) const;

    LayerContext context_;
    ContextGroup& group_;
    AttentionBlock whole_;
    std::size_t columns_;  ///< N·g
    std::size_t scratch_;
};

}  // namespace shardlab::train
