// SPDX-License-Identifier: Apache-2.0
// Attention of a context group (ring attention, 2310.01889, with the pieces of a sample shared out evenly:
// layout/context_split.h). Each member has queries, keys and values of its own tokens. Keys and values go round; after
// c steps each has met all others', one block at a time, whose share kernels/block_attention.h merges. In step k member
// i has those of member j = i − k:
//
//   j = i   its own: rows are in order of position, so that a causal block is all there is to say
//   j < i   of j's two pieces the first lies before all of i's tokens, the second behind them: all queries, half of the
//   keys j > i   of i's two pieces the first lies before all of j's tokens, the second behind them: half of the
//   queries, all keys
//
// Forward:  the next block comes while one is worked on: c − 1 hops.
// Backward: the same once more, and the gradients of keys and values follow their block, each member adding its share,
// until
//           they are home: c hops, each behind the step that comes next.
#pragma once

#include "engine/train/model/context_group.h"
#include "engine/train/model/layer_context.h"
#include "kernels/block_attention.h"

namespace shardlab {

/// Memory, N this member's tokens, g columns of its heads, a heads: forward keeps log sums, a number for each row and
/// head
/// (`kept`). In passing (Temporary), in elements of activations: keys and values two times 2N·g; in fp32: forward,
/// where activations are not fp32, the output N·g; backward N·g and three times 2N·g; and what the device's block
/// needs.
class RingAttention {
public:
    /// `rows` of each sample are this member's; heads are of its tensor group's share. `context.context` is there.
    RingAttention(const LayerContext& context, int heads, int width);

    std::size_t kept() const;
    /// qkv [N, 3g] to logSums, fp32, and attended [N, g].
    void forward(const Buffer& qkv, float* logSums, const Buffer& attended) const;
    /// Overwrites qkv with its gradient.
    void backward(const Buffer& qkv, const float* logSums, const Buffer& attended,
                  const Buffer& attendedGradient) const;

private:
    AttentionBlock blockOf(int owner) const;
    int ownerAt(int step) const { return (group_.member() - step + group_.size()) % group_.size(); }
    Buffer floats(std::size_t elements) const { return context_.arena.allocate(MemoryCategory::Temporary, elements); }
    Buffer ownKeysValues(const Buffer& qkv) const;

    LayerContext context_;
    ContextGroup& group_;
    AttentionBlock whole_;
    std::size_t columns_;  ///< N·g
    std::size_t scratch_;
};

}  // namespace shardlab
