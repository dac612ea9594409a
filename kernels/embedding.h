// SPDX-License-Identifier: Apache-2.0
// Token and position embeddings, fp32. Tolerance against double precision: 1e-6 of the largest value, gradients 1e-5.
#pragma once

#include <cstdint>

namespace shardlab {

struct EmbeddingShape {
    int samples = 1;
    int sequence = 1;
    int hidden = 1;
};

/// output[b·s + t] = tokenTable[tokens[b·s + t]] + positionTable[t]; overwrites output [samples·sequence, hidden].
/// Tables are [vocabulary, hidden] and [at least sequence, hidden]; tokens are in range.
void embed(const EmbeddingShape& shape, const std::int32_t* tokens, const float* tokenTable,
           const float* positionTable, float* output);
/// Adds each token's output gradient to its two rows, token after token.
void embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, const float* outputGradient,
               float* tokenGradient, float* positionGradient);

}  // namespace shardlab
