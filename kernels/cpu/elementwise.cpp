// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise.h"

#include "kernels/cpu/vector.h"

#include <algorithm>

namespace shardlab {

void fill(std::int64_t count, float value, float* values) { std::fill_n(values, count, value); }

SHARDLAB_HOT void scale(std::int64_t count, float factor, float* values) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

SHARDLAB_HOT void add(std::int64_t count, const float* others, float* values) {
    const float* __restrict source = others;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) values[i] += source[i];
}

SHARDLAB_HOT double sumOfSquares(std::int64_t count, const float* values) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    return sum;
}

}  // namespace shardlab
