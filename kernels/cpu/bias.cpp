// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT void addToRows(std::int64_t rows, int columns, const float* bias, float* matrix) {
    for (std::int64_t r = 0; r < rows; ++r) {
        float* __restrict row = matrix + r * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) row[c] += bias[c];
    }
}

SHARDLAB_HOT void addToRows(std::int64_t rows, int columns, const float* bias, const float* residual, float* matrix) {
    for (std::int64_t r = 0; r < rows; ++r) {
        float* __restrict row = matrix + r * columns;
        const float* __restrict other = residual + r * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) row[c] += bias[c] + other[c];
    }
}

SHARDLAB_HOT void addRows(std::int64_t rows, std::int64_t columns, const float* gradient, std::ptrdiff_t stride,
                          float* sums) {
    float* __restrict sum = sums;
    std::int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {  // four rows at a time: a quarter of the loads and stores of the sums
        const float* __restrict row = gradient + r * stride;
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) {
            sum[c] += (row[c] + row[c + stride]) + (row[c + 2 * stride] + row[c + 3 * stride]);
        }
    }
    for (; r < rows; ++r) {
        const float* __restrict row = gradient + r * stride;
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) sum[c] += row[c];
    }
}

}  // namespace

void CpuDevice::addBias(int rows, int columns, ConstArray bias, Array matrix) {
    const cpu::ConstFloats b(bias, columns);
    cpu::byRows(
        rows, columns, [&](std::int64_t, std::int64_t some, float* x) { addToRows(some, columns, b.data(), x); },
        cpu::updates(matrix));
}

void CpuDevice::addBiasAndResidual(int rows, int columns, ConstArray bias, ConstArray residual, Array matrix) {
    if (!bias) return add(std::int64_t{rows} * columns, residual, matrix);
    const cpu::ConstFloats b(bias, columns);
    cpu::byRows(
        rows, columns,
        [&](std::int64_t, std::int64_t some, const float* other, float* x) {
            addToRows(some, columns, b.data(), other, x);
        },
        cpu::reads(residual), cpu::updates(matrix));
}

void CpuDevice::addColumnSums(int rows, int columns, ConstArray gradient, Array bias) {
    cpu::byColumns(
        rows, columns,
        [&](std::int64_t first, std::int64_t width) {
            return cpu::Floats(bias + first, cpu::Floats::Access::Update, width);
        },
        [](const cpu::Floats& sums, std::int64_t width, std::int64_t, std::int64_t some, const cpu::ConstFloats& g) {
            addRows(some, width, g.data(), g.stride(), sums.data());
        },
        gradient);
}

}  // namespace shardlab::kernels
