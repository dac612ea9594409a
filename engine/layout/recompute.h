// SPDX-License-Identifier: Apache-2.0
// Which activations a stage's backward computes again instead of keeping them from the forward (1604.06174).
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <vector>

namespace shardlab::layout {

/// Whether backwards compute a part of blocks again without the rest: recompute parts names them, and selective,
/// latent, pointwise and mlp are short for some. The core of an attention is its probabilities, which are most of the
/// memory and little of the work (2205.05198). The heads are what the up-projections of a latent attention make of its
/// latents. Norms and activations are made again as the input gradient of a half of a block begins, core and heads as
/// that of the attention does.
bool recomputes(const MemorySpec& memory, RecomputePart part);
bool recomputesCore(const MemorySpec& memory);
bool recomputesHeads(const MemorySpec& memory);
/// Segments are the second halves of blocks, feed-forward blocks, layers with experts, or both. What lies in front of
/// them, an attention, keeps what it needs.
bool recomputesSecondHalves(const MemorySpec& memory);
/// Has these parts computed again and nothing else, by the shortest word that says so of the model.
void recomputeParts(const ModelSpec& model, WordSet<RecomputePart> parts, MemorySpec& memory);
/// What an exchange of tokens for heads brings a member of a context group is kept for the backward, in place of the
/// queries, keys and values of its own tokens.
bool keepsExchangedHeads(const Layout& layout);
/// Queries, keys and values go through that exchange once more, as the heads are computed again without the core.
bool exchangesHeadsAgain(const Layout& layout);
/// recompute operations: of each block only the outputs of some operations are kept, of the attention's core, of what
/// ranks exchange and of every second product, counted from the block's lowest; all else is computed again as the
/// block's backward begins (torchtitan's selective checkpointing by operation). A block of Shardlab's own has two
/// products in each half, of which the first one's output stays; programs that multiply queries, keys and values, or a
/// gate and its values, one by one (layout/stacks.h) count those.
bool recomputesOperations(const MemorySpec& memory);
/// Pieces of a microbatch's tokens whose logits are made one after the other: 1 where they are whole, as those of
/// images are.
int lossPieces(const Layout& layout);
/// The tokens that a rank has of a microbatch: there are no more pieces.
std::int64_t mostLossPieces(const Layout& layout);
/// A whole backward makes the logits of each piece once, for both gradients. Not so where ZeRO 2 places the gradients
/// of a layer after those of its inputs, and where a tensor group splits the tokens.
bool makesLogitsOnce(const Layout& layout);

/// With operations, the input of a block's second half is made again by the first half's last product. Where a tensor
/// group sums that product up, the sum stays.
bool makesHalvesAgain(const MemorySpec& memory, int tensor);

/// A stage's blocks have segments, each of which keeps its input alone, with operations some outputs too; its backward
/// begins with its forward.
bool hasSegments(const MemorySpec& memory);
/// Whether a segment covers the block, counted from the stage's lowest, or its second half. Where recomputeBlocks is
/// set, segments cover only so many of a stage's lowest blocks.
bool recomputesBlock(const ModelSpec& model, const MemorySpec& memory, const StageShape& stage, int block);

/// What a block makes again of what its norms and its activation made, besides a segment that covers its second half.
struct PointwiseAgain {
    int norms = 0;
    bool activation = false;
};
PointwiseAgain pointwiseAgain(const ModelSpec& model, const MemorySpec& memory, bool recomputesBlock);

/// Neighbouring blocks of a stage whose backward computes activations again together, or one block by itself.
struct RecomputedBlocks {
    int first = 0;         ///< counted from the stage's lowest
    int blocks = 1;        ///< more than 1 in a segment alone
    bool segment = false;  ///< a segment covers them, or with second halves that of the block
    int times = 0;         ///< how often their backward computes something again
    bool operator==(const RecomputedBlocks&) const = default;
};
/// All blocks of a stage, from the lowest. A segment has 1 block with full and operations, the second half of 1 with
/// mlp and parts, recomputeEvery with every, and with sqrt the root of the blocks that segments cover, rounded, which
/// makes the inputs and one segment together fewest. The last may be shorter.
std::vector<RecomputedBlocks> recomputedBlocks(const ModelSpec& model, const MemorySpec& memory,
                                               const StageShape& stage);

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
