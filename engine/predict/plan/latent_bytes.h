// SPDX-License-Identifier: Apache-2.0
// The memory of a latent attention, buffer by buffer as model/latent_attention_layer.cpp has it; keep the two side by
// side.
#pragma once

#include "engine/predict/plan/attention_bytes.h"
#include "engine/predict/plan/tally.h"

namespace shardlab::predict {

/// Bytes of one microbatch's buffers, of one member of the tensor group. Where a stack is modelled, what it keeps are
/// turned queries, keys and values, and nothing is filled up with zeros.
struct LatentBytes {
    std::int64_t normed;       ///< the layer's norm and its statistics
    std::int64_t own;          ///< n·h: the gradient of the former
    std::int64_t down;         ///< of the down projection's output, and of its gradient
    std::int64_t queryLatent;  ///< n·query rank; 0 where there is none
    std::int64_t keyLatent;    ///< n·key rank
    std::int64_t statistics;   ///< of the norm of a latent
    std::int64_t sharedKey;
    std::int64_t queries;
    std::int64_t expanded;  ///< keys and values
    std::int64_t dropped;   ///< of the two, what is not kept because the core keeps its own: all or nothing
    std::int64_t operands;  ///< of what the core keeps, what is exchanged again instead: all or nothing
    std::int64_t attended;
    std::int64_t mask;  ///< that a stack's dropout keeps
    AttentionBytes attention;
    std::int64_t apart;  ///< queries, keys and values as the core reads them
    std::int64_t wide;   ///< attended as wide as queries, where values are narrower; else 0
    int members;         ///< that tokens are split between; 1 where they are not
    std::int64_t sinks;  ///< of the gradient of sinks; 0 where there are none
    // Copies of the weights for their products; 0 where none are made.
    std::int64_t downCopy, queryCopy, expansionCopy;
    // Sums of weights' gradients over tokens; 0 where those are not split.
    std::int64_t queryNormSums, keyNormSums, downSums;

    /// What a forward leaves for the backward.
    std::int64_t held() const;
    /// The gradients that inputGrad leaves for weightGrad, but those of the branch and of the layer's norm.
    std::int64_t gradients() const { return queryLatent + keyLatent + down + sinks; }
};

LatentBytes latentBytes(const Layout& layout, const TensorShare& share);

/// What the backward computes again of a latent attention; its forward frees it.
struct LatentAgain {
    bool core = false;   ///< what the core keeps
    bool heads = false;  ///< queries, keys and values
};

/// Up to the branch's end.
void latentForward(Tally& tally, const LatentBytes& bytes, const LatentAgain& again);
/// From the branch's gradient, which the projection takes with a copy of so many bytes, to that of the layer's norm.
void latentInputGrad(Tally& tally, const LatentBytes& bytes, MemoryCategory kept, const LatentAgain& again,
                     std::int64_t projection);
/// What passes in the weight gradient.
void latentWeightGrad(Tally& tally, const LatentBytes& bytes);

}  // namespace shardlab::predict
