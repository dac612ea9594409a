// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding.h"

#include "kernels/cpu/vector.h"

#include <algorithm>
#include <cstddef>

namespace shardlab {

namespace {

/// Row of the table, or -1.
std::ptrdiff_t rowOf(const EmbeddingShape& shape, std::int32_t token) {
    const std::int32_t row = token - shape.firstToken;
    return row >= 0 && row < shape.tokens ? row : -1;
}

SHARDLAB_HOT void add(std::ptrdiff_t count, const float* __restrict from, float* __restrict to) {
#pragma omp simd
    for (std::ptrdiff_t c = 0; c < count; ++c) to[c] += from[c];
}

}  // namespace

void embed(const EmbeddingShape& shape, const std::int32_t* tokens, const float* tokenTable,
           const float* positionTable, float* output) {
    const std::ptrdiff_t hidden = shape.hidden;
    for (int token = 0; token < shape.samples * shape.sequence; ++token) {
        const std::ptrdiff_t row = rowOf(shape, tokens[token]);
        float* out = output + token * hidden;
        if (row >= 0) std::copy_n(tokenTable + row * hidden, hidden, out);
        else std::fill_n(out, hidden, 0.0f);
        if (positionTable) add(hidden, positionTable + token % shape.sequence * hidden, out);
    }
}

void embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, const float* outputGradient,
               float* tokenGradient, float* positionGradient) {
    const std::ptrdiff_t hidden = shape.hidden;
    for (int token = 0; token < shape.samples * shape.sequence; ++token) {
        const std::ptrdiff_t row = rowOf(shape, tokens[token]);
        const float* gradient = outputGradient + token * hidden;
        if (row >= 0) add(hidden, gradient, tokenGradient + row * hidden);
        add(hidden, gradient, positionGradient + token % shape.sequence * hidden);
    }
}

}  // namespace shardlab
