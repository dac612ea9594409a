// SPDX-License-Identifier: Apache-2.0
#include "kernels/bias.h"

#include "kernels/cpu/vector.h"

#include <cstddef>

namespace shardlab {

SHARDLAB_HOT void addBias(int rows, int columns, const float* bias, float* matrix) {
    for (int r = 0; r < rows; ++r) {
        float* __restrict row = matrix + static_cast<std::ptrdiff_t>(r) * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) row[c] += bias[c];
    }
}

SHARDLAB_HOT void addBiasAndResidual(int rows, int columns, const float* bias, const float* residual, float* matrix) {
    for (int r = 0; r < rows; ++r) {
        float* __restrict row = matrix + static_cast<std::ptrdiff_t>(r) * columns;
        const float* __restrict other = residual + static_cast<std::ptrdiff_t>(r) * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) row[c] += bias[c] + other[c];
    }
}

SHARDLAB_HOT void addColumnSums(int rows, int columns, const float* gradient, float* bias) {
    const std::ptrdiff_t stride = columns;
    int r = 0;
    for (; r + 4 <= rows; r += 4) {  // four rows at a time: a quarter of the loads and stores of the sums
        const float* __restrict row = gradient + r * stride;
#pragma omp simd
        for (int c = 0; c < columns; ++c) {
            bias[c] += (row[c] + row[c + stride]) + (row[c + 2 * stride] + row[c + 3 * stride]);
        }
    }
    for (; r < rows; ++r) {
        const float* __restrict row = gradient + r * stride;
#pragma omp simd
        for (int c = 0; c < columns; ++c) bias[c] += row[c];
    }
}

}  // namespace shardlab
