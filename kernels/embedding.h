// SPDX-License-Identifier: Apache-2.0
// Token and position embeddings. The tolerance against double precision is 1e-6 of the largest value, that of gradients
// 1e-5.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct EmbeddingShape {
    int samples = 1;
    int sequence = 1;
    int hidden = 1;
    int firstToken = 0;  ///< the first token of the vocabulary that the token table holds
    int tokens = 1;      ///< how many tokens the table holds

    /// The elements of the output.
    double elements() const { return static_cast<double>(samples) * sequence * hidden; }
};

struct EmbeddingOps {
    /// output[b·s + t] = tokenTable[tokens[b·s + t] − firstToken] + positionTable[t]; overwrites output
    /// [samples·sequence, hidden], T. A token beyond the table counts as a row of zeros, as do positions where their
    /// table is null. Tables are [tokens, hidden] and [at least sequence, hidden], P. `tokens` lies on the device.
    virtual void embed(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray tokenTable,
                       ConstArray positionTable, Array output) = 0;
    static KernelWork embedWork(const EmbeddingShape& shape, const std::int32_t*, ConstArray tokenTable, ConstArray,
                                Array output) {
        return {KernelKind::Embedding, bytesOf(tokenTable, shape.elements()) + bytesOf(output, shape.elements())};
    }

    /// Adds each token's output gradient to the token's row where the table has it, and to its position's row where
    /// there is a table of positions; the same bits in every call. outputGradient: T; gradients: G.
    virtual void embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray outputGradient,
                           Array tokenGradient, Array positionGradient) = 0;
    static KernelWork embedGradWork(const EmbeddingShape& shape, const std::int32_t*, ConstArray outputGradient,
                                    Array tokenGradient, Array) {
        return {KernelKind::Embedding,
                bytesOf(outputGradient, shape.elements()) + bytesOf(tokenGradient, 2 * shape.elements())};
    }

protected:
    ~EmbeddingOps() = default;
};

#define SHARDLAB_EMBEDDING_OPS(operation) operation(EmbeddingOps, embed, 5) operation(EmbeddingOps, embedGrad, 5)

}  // namespace shardlab::kernels
