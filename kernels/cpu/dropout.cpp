// SPDX-License-Identifier: Apache-2.0
#include "kernels/dropout.h"

#include "kernels/cpu/dropout_mask.h"

#include <cstddef>

namespace shardlab {

SHARDLAB_HOT void dropout(int rows, int columns, const DropoutMask& mask, float* matrix) {
    for (int r = 0; r < rows; ++r) {
        const cpu::DropoutRow keep(mask, r);
        float* __restrict row = matrix + static_cast<std::ptrdiff_t>(r) * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) row[c] *= keep(static_cast<std::uint32_t>(c));
    }
}

SHARDLAB_HOT void dropoutTo(int rows, int columns, const DropoutMask& mask, const float* matrix, float* output) {
    for (int r = 0; r < rows; ++r) {
        const cpu::DropoutRow keep(mask, r);
        const float* __restrict row = matrix + static_cast<std::ptrdiff_t>(r) * columns;
        float* __restrict out = output + static_cast<std::ptrdiff_t>(r) * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) out[c] = row[c] * keep(static_cast<std::uint32_t>(c));
    }
}

SHARDLAB_HOT void addBiasDropoutAndResidual(int rows, int columns, const float* bias, const DropoutMask& mask,
                                            const float* residual, float* matrix) {
    for (int r = 0; r < rows; ++r) {
        const cpu::DropoutRow keep(mask, r);
        float* __restrict row = matrix + static_cast<std::ptrdiff_t>(r) * columns;
        const float* __restrict other = residual + static_cast<std::ptrdiff_t>(r) * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c)
            row[c] = (row[c] + bias[c]) * keep(static_cast<std::uint32_t>(c)) + other[c];
    }
}

}  // namespace shardlab
