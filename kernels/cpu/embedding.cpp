// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding.h"

#include "kernels/cpu/vector.h"

#include <cstddef>

namespace shardlab {

SHARDLAB_HOT void embed(const EmbeddingShape& shape, const std::int32_t* tokens, const float* tokenTable,
                        const float* positionTable, float* output) {
    const std::ptrdiff_t hidden = shape.hidden;
    for (int token = 0; token < shape.samples * shape.sequence; ++token) {
        const float* __restrict word = tokenTable + tokens[token] * hidden;
        const float* __restrict place = positionTable + token % shape.sequence * hidden;
        float* __restrict out = output + token * hidden;
#pragma omp simd
        for (std::ptrdiff_t c = 0; c < hidden; ++c) out[c] = word[c] + place[c];
    }
}

SHARDLAB_HOT void embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, const float* outputGradient,
                            float* tokenGradient, float* positionGradient) {
    const std::ptrdiff_t hidden = shape.hidden;
    for (int token = 0; token < shape.samples * shape.sequence; ++token) {
        const float* __restrict gradient = outputGradient + token * hidden;
        float* __restrict word = tokenGradient + tokens[token] * hidden;
        float* __restrict place = positionGradient + token % shape.sequence * hidden;
#pragma omp simd
        for (std::ptrdiff_t c = 0; c < hidden; ++c) {
            word[c] += gradient[c];
            place[c] += gradient[c];
        }
    }
}

}  // namespace shardlab
