// SPDX-License-Identifier: Apache-2.0
// Token and position embeddings, fp32. Tolerance against double precision: 1e-6 of the largest value, gradients 1e-5.
#pragma once

#include <cstdint>

namespace shardlab {

struct EmbeddingShape {
    int samples = 1;
    int sequence = 1;
    int hidden = 1;
    int firstToken = 0;  ///< of the vocabulary, that the token table holds
    int tokens = 1;      ///< in it
};

/// output[b·s + t] = tokenTable[tokens[b·s + t] − firstToken] + positionTable[t]; overwrites output
/// [samples·sequence, hidden]. A token beyond the table counts as a row of zeros, as do positions where their table is
/// null. Tables are [tokens, hidden] and [at least sequence, hidden].
void embed(const EmbeddingShape& shape, const std::int32_t* tokens, const float* tokenTable,
           const float* positionTable, float* output);
/// Adds each token's output gradient to its row where the table has it, and to its position's, token after token.
void embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, const float* outputGradient,
               float* tokenGradient, float* positionGradient);

}  // namespace shardlab
