// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/dropout_mask.h"
#include "kernels/cpu/rows.h"

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT void maskRows(std::int64_t firstRow, std::int64_t rows, int columns, const DropoutMask& mask,
                           float* matrix) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const cpu::DropoutRow keep(mask, firstRow + r);
        float* __restrict row = matrix + r * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) row[c] *= keep(static_cast<std::uint32_t>(c));
    }
}

SHARDLAB_HOT void maskNumbered(const std::int32_t* numbers, std::int64_t rows, int columns, const DropoutMask& mask,
                               float* matrix) {
    for (std::int64_t r = 0; r < rows; ++r) maskRows(numbers[r], 1, columns, mask, matrix + r * columns);
}

SHARDLAB_HOT void maskRowsTo(std::int64_t firstRow, std::int64_t rows, int columns, const DropoutMask& mask,
                             const float* matrix, float* output) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const cpu::DropoutRow keep(mask, firstRow + r);
        const float* __restrict row = matrix + r * columns;
        float* __restrict out = output + r * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) out[c] = row[c] * keep(static_cast<std::uint32_t>(c));
    }
}

SHARDLAB_HOT void endBranch(std::int64_t firstRow, std::int64_t rows, int columns, const float* bias,
                            const DropoutMask& mask, const float* residual, float* matrix) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const cpu::DropoutRow keep(mask, firstRow + r);
        float* __restrict row = matrix + r * columns;
        const float* __restrict other = residual + r * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) row[c] = (row[c] + bias[c]) * keep(static_cast<std::uint32_t>(c)) + other[c];
    }
}

}  // namespace

void CpuDevice::dropout(int rows, int columns, const DropoutMask& mask, Array matrix) {
    cpu::byRows(
        rows, columns,
        [&](std::int64_t first, std::int64_t some, float* x) { maskRows(first, some, columns, mask, x); },
        cpu::updates(matrix));
}

void CpuDevice::dropoutNumbered(int rows, int columns, const DropoutMask& mask, const std::int32_t* numbers,
                                Array matrix) {
    cpu::byRows(
        rows, columns,
        [&](std::int64_t first, std::int64_t some, float* x) { maskNumbered(numbers + first, some, columns, mask, x); },
        cpu::updates(matrix));
}

void CpuDevice::dropoutTo(int rows, int columns, const DropoutMask& mask, ConstArray matrix, Array output, Array bias) {
    cpu::byRows(
        rows, columns,
        [&](std::int64_t first, std::int64_t some, const float* x, float* out) {
            maskRowsTo(first, some, columns, mask, x, out);
        },
        cpu::reads(matrix), cpu::writes(output));
    if (bias) addColumnSums(rows, columns, output, bias);
}

void CpuDevice::addBiasDropoutAndResidual(int rows, int columns, ConstArray bias, const DropoutMask& mask,
                                          ConstArray residual, Array matrix) {
    const cpu::ConstFloats b(bias, columns);
    cpu::byRows(
        rows, columns,
        [&](std::int64_t first, std::int64_t some, const float* other, float* x) {
            endBranch(first, some, columns, b.data(), mask, other, x);
        },
        cpu::reads(residual), cpu::updates(matrix));
}

}  // namespace shardlab::kernels
