// SPDX-License-Identifier: Apache-2.0
// Which activations a stage's backward computes again instead of keeping them from the forward (1604.06174).
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <vector>

namespace shardlab::layout {

/// recompute selective: only the core of every attention is computed again, its probabilities, which are most of the
/// memory and little of the work (2205.05198).
bool recomputesCore(const MemorySpec& memory);
/// recompute mlp: segments are the second halves of blocks, a feed-forward block or a layer with experts each. What
/// lies in front of them, an attention, keeps what it needs.
bool recomputesSecondHalves(const MemorySpec& memory);
/// recompute latent: what the up-projections of a latent attention make of its latents, queries, keys and values of all
/// heads, is computed again as the input gradient of the attention begins.
bool recomputesHeads(const MemorySpec& memory);
/// What an exchange of tokens for heads brings a member of a context group is kept for the backward, in place of the
/// queries, keys and values of its own tokens.
bool keepsExchangedHeads(const Layout& layout);
/// recompute pointwise: what the norm in front of each half of a block makes, and what the activation between two
/// products makes, are computed again as the input gradient of the half begins.
bool recomputesPointwise(const MemorySpec& memory);
/// recompute operations: of each block only the outputs of some operations are kept, of the attention's core, of what
/// ranks exchange and of every second product, counted from the block's lowest; all else is computed again as the
/// block's backward begins (torchtitan's selective checkpointing by operation). A block of Shardlab's own has two
/// products in each half, of which the first one's output stays; programs that multiply queries, keys and values, or a
/// gate and its values, one by one (layout/stacks.h) count those.
bool recomputesOperations(const MemorySpec& memory);
/// With operations, the input of a block's second half is made again by the first half's last product. Where a tensor
/// group sums that product up, the sum stays.
bool makesHalvesAgain(const MemorySpec& memory, int tensor);

/// How many times a block's backward computes something again where that is no segment: once for the core or the heads
/// of its attention, once for each half with pointwise, else 0.
int recomputedParts(const ModelSpec& model, const MemorySpec& memory);

/// Blocks of each segment of a stage of `blocks`, from the lowest. A segment keeps its input alone, with operations
/// some outputs too; its backward begins with its forward. A segment has 1 block with full and operations, the second
/// half of 1 with mlp, recomputeEvery with every, and with sqrt the root of `blocks`, rounded, which makes the inputs
/// and one segment together fewest. The last may be shorter. Where recomputeBlocks is set, segments cover only so many
/// of the stage's lowest blocks. Empty: there are no segments.
std::vector<int> recomputeSegments(const MemorySpec& memory, int blocks);
/// How many of a stage's lowest blocks its segments cover; 0: there are no segments.
int recomputedBlocks(const MemorySpec& memory, int blocks);

/// Each member of a tensor group keeps its part of a segment's input, and gathers the others' before it computes the
/// segment again (ZeRO-R's partitioned activation checkpoints, 1910.02054). Where tokens are split the input is the
/// member's own already; without segments there is nothing to divide.
bool partitionsInputs(const MemorySpec& memory, const ParallelSpec& parallel);

/// For each layer of a stage (its embedding, the layers of its blocks, its output), the lowest layer of the segment
/// that it is computed again with; -1: it is not computed again.
std::vector<int> layerSegments(const ModelSpec& model, const MemorySpec& memory, const StageShape& stage);
/// Whether `layer` is the highest of a segment.
bool endsSegment(const std::vector<int>& layerSegments, int layer);

}  // namespace shardlab::layout
