// SPDX-License-Identifier: Apache-2.0
// Causal self-attention of all heads: softmax(Q·Kᵀ/√width, positions up to the own one)·V. fp32.
// Tolerance against double precision: 1e-5 of the largest value, gradients 2e-5.
#pragma once

#include <cstddef>

namespace shardlab {

struct AttentionShape {
    int samples = 1;
    int sequence = 1;
    int heads = 1;
    int width = 1;  ///< of one head; heads · width = hidden
};

/// qkv: [samples·sequence, 3·hidden], a token's queries of all heads, then its keys, then its values.
/// Overwrites probabilities [samples, heads, sequence, sequence] (zero above the diagonal) and
/// output [samples·sequence, hidden].
void attention(const AttentionShape& shape, const float* qkv, float* probabilities, float* output);

/// Floats of scratch that attentionGrad needs: sequence² + sequence·width.
std::size_t attentionScratch(const AttentionShape& shape);

/// qkv holds queries, keys and values and is overwritten in place with their gradients. outputGradient:
/// [samples·sequence, hidden].
void attentionGrad(const AttentionShape& shape, const float* probabilities, const float* outputGradient, float* qkv,
                   float* scratch);

}  // namespace shardlab
