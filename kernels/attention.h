// SPDX-License-Identifier: Apache-2.0
// Causal self-attention of all heads: softmax(Q·Kᵀ/√width, positions up to the own one)·V. fp32.
// Tolerance against double precision: 1e-5 of the largest value, gradients 2e-5.
#pragma once

#include "kernels/dropout.h"

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

/// Dropout of the probabilities: row (sample, head, query) of the mask is
/// sample·rowsOfSample + head·sequence + query, so that heads may be a part of those of a layer.
struct AttentionDropout {
    DropoutMask mask;
    std::int64_t rowsOfSample = 0;
};
/// Floats of scratch that attention with dropout needs: min(sequence, 64)·sequence.
std::size_t attentionDropoutScratch(const AttentionShape& shape);
/// The same with the probabilities masked before their product with the values; kept are those before.
void attention(const AttentionShape& shape, const float* qkv, float* probabilities, float* output,
               const AttentionDropout& dropout, float* scratch);

/// Floats of scratch that attentionGrad needs: sequence² + sequence·width.
std::size_t attentionScratch(const AttentionShape& shape);

/// qkv holds queries, keys and values and is overwritten in place with their gradients. outputGradient:
/// [samples·sequence, hidden]. With dropout the probabilities are overwritten with the masked ones.
void attentionGrad(const AttentionShape& shape, float* probabilities, const float* outputGradient, float* qkv,
                   float* scratch, const AttentionDropout& dropout = {});

}  // namespace shardlab
