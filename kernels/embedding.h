// SPDX-License-Identifier: Apache-2.0
// Token and position embeddings. Tolerance against double precision: 1e-6 of the largest value, gradients 1e-5.
#pragma once

#include "kernels/array.h"

#include <cstdint>

namespace shardlab {

struct EmbeddingShape {
    int samples = 1;
    int sequence = 1;
    int hidden = 1;
    int firstToken = 0;  ///< of the vocabulary, that the token table holds
    int tokens = 1;      ///< in it
};

struct EmbeddingOps {
    /// output[b·s + t] = tokenTable[tokens[b·s + t] − firstToken] + positionTable[t]; overwrites output
    /// [samples·sequence, hidden], T. A token beyond the table counts as a row of zeros, as do positions where their
    /// table is null. Tables are [tokens, hidden] and [at least sequence, hidden], P. `tokens` lies on the device.
    virtual void embed(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray tokenTable,
                       ConstArray positionTable, Array output) = 0;
    /// Adds each token's output gradient to its row where the table has it, and to its position's where there is a
    /// table of them; the same bits in every call. outputGradient: T; gradients: G.
    virtual void embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray outputGradient,
                           Array tokenGradient, Array positionGradient) = 0;

protected:
    ~EmbeddingOps() = default;
};

}  // namespace shardlab
