// SPDX-License-Identifier: Apache-2.0
// The bytes of a stage's tensors and layers, for one microbatch on one member of a tensor group: what stage_buffers.h
// goes through action by action, and what kept_parts.h names.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"
#include "engine/predict/plan/attention_bytes.h"
#include "engine/predict/plan/expert_bytes.h"
#include "engine/predict/plan/latent_bytes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardlab::predict {

/// Sizes in bytes of one microbatch's tensors, of one member of the tensor group. Activations and their gradients are
/// in the layout's format, statistics and sums in fp32.
struct StageSizes {
    std::int64_t own;          ///< n·h: between layers
    std::int64_t normed;       ///< of it, what a norm leaves for the products of a block
    std::int64_t headNormed;   ///< and for the output projection
    std::int64_t operand;      ///< one number a token, as a product keeps it
    std::int64_t copied;       ///< N·q as the projection keeps it beside the attention's output; 0: it keeps that
    std::int64_t all;          ///< N·h; = own where tokens are not split
    std::int64_t statistics;   ///< 2n, of RMSNorm n
    std::int64_t columns;      ///< N·q: of an attention's queries, which are as many as of its output
    std::int64_t joined;       ///< of queries, keys and values before heads are turned
    std::int64_t made;         ///< where members share heads of keys, what the first product writes of it; else 0
    std::int64_t sent;         ///< where members share heads of keys, what each sends of these and values; else 0
    std::int64_t dropped;      ///< of it, what is not kept because the core keeps its own: all or nothing
    std::int64_t spread;       ///< of all three for each head, where positions are rotary; else 0
    std::int64_t headWeights;  ///< of the gradients of the norms of queries and keys, and of sinks
    AttentionBytes attention;
    std::int64_t keys;    ///< of `joined`, where a product of their own makes them: what is no kept operation's; else 0
    std::int64_t unread;  ///< of kept operations' outputs that no backward reads, in a block's second half
    std::int64_t mask;    ///< that dropout keeps of a branch's output; 0 where it is drawn again
    std::int64_t logits;  ///< kept from a head's forward to its backward; in pieces, sums and targets in their place
    std::int64_t piece;   ///< of the logits of the largest piece, 0 where they are kept whole
    std::int64_t loss;    ///< 3N where the vocabulary is shared, else 0
    std::int64_t number;  ///< one number a token, N
    std::int64_t tokens;  ///< the tokens themselves, N of 32 bits; or the targets
    std::int64_t norm;    ///< 2h, of RMSNorm h, of a norm's gradients where tokens are split, else 0
    std::int64_t square;  ///< h·q of a member, the copy of a weight that is rounded for its product; 0 where none is
    std::int64_t triple;  ///< likewise of all columns of queries, keys and values
    std::int64_t row;     ///< likewise of h
    std::int64_t table;   ///< likewise of the output projection
    std::int64_t join;    ///< likewise of the product that joins a module's inputs
    std::int64_t joinGradient;      ///< of that product's gradient where tokens are split, else 0
    std::int64_t positions;         ///< copy of a context member's rows of their table; else 0
    std::int64_t positionGradient;  ///< and of its gradient
};

StageSizes stageSizes(const Layout& layout, const TensorShare& share);

/// One layer of model/: what its state holds besides its input, and what it needs in passing.
struct LayerBytes {
    std::int64_t first;        ///< held before the norm is gathered: statistics, norm, what the first product writes
    std::int64_t second;       ///< held after
    std::int64_t scratch;      ///< during the forward, with all of that held
    std::int64_t spread;       ///< with it, and from inputGrad's begin of the attention to its end
    std::int64_t freedEarly;   ///< of it, what inputGrad frees, or the forward where the core is recomputed
    std::int64_t gradient;     ///< during inputGrad: of what the projection read
    std::int64_t temporary;    ///< and then beside it
    std::int64_t apart;        ///< and of Activations
    std::int64_t headWeights;  ///< from inputGrad's begin of the attention to the weight gradient
    std::int64_t expansion;    ///< copies of the two weights, for their products
    std::int64_t projection;
    std::int64_t dropped = 0;                 ///< of it, what the forward frees and inputGrad has room for anew
    std::int64_t made = 0;                    ///< with shared heads of keys: what the first product writes
    std::int64_t sent = 0;                    ///< with shared heads of keys: a member's block of keys and values
    std::int64_t gathered = 0;                ///< with shared heads of keys: the blocks of all members
    std::int64_t narrowed = 0;                ///< by how much the gradient of `made` is less than what is held
    std::int64_t ofNorm = 0;                  ///< held: what the norm makes
    std::int64_t ofActivation = 0;            ///< held: what the activation makes
    std::int64_t again = 0;                   ///< held: with recompute operations, what is freed as the forward ends
    std::optional<ExpertBytes> experts = {};  ///< where there are some; of what stands above `first` alone counts then
    std::optional<LatentBytes> latent = {};   ///< where there is one; `first`, `freedEarly` and `projection` then count
    /// Held besides by the lower half of a module's block (model/prediction_layer.h), its attention's input among it; 0
    /// in others.
    std::int64_t join = 0;
    std::int64_t held() const { return first + second + join; }
};

/// The layers of the stage's blocks from the lowest: an attention, where the model has one, and what follows it.
std::vector<LayerBytes> layersOf(const Layout& layout, const StageShape& shape, const TensorShare& share);

}  // namespace shardlab::predict
