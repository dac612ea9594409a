// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/activation_functions.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT void biasGeluRows(std::int64_t rows, int columns, const float* bias, float* x, float* output) {
    for (std::int64_t r = 0; r < rows; ++r) {
        float* __restrict row = x + r * columns;
        float* __restrict out = output + r * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) {
            const float value = row[c] + bias[c];
            row[c] = value;
            out[c] = cpu::GeluTanh::value(value);
        }
    }
}

SHARDLAB_HOT void geluGradElements(std::int64_t count, const float* outputGradient, float* x) {
    const float* __restrict gradient = outputGradient;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) x[i] = gradient[i] * cpu::GeluTanh::slope(x[i]);
}

}  // namespace

void CpuDevice::biasGelu(int rows, int columns, ConstArray bias, Array x, Array output) {
    const cpu::ConstFloats b(bias, columns);
    cpu::byRows(
        rows, columns,
        [&](std::int64_t, std::int64_t some, float* in, float* out) { biasGeluRows(some, columns, b.data(), in, out); },
        cpu::updates(x), cpu::writes(output));
}

void CpuDevice::geluGrad(std::int64_t count, ConstArray outputGradient, Array x) {
    cpu::byElements(
        count,
        [](std::int64_t, std::int64_t some, const float* gradient, float* in) { geluGradElements(some, gradient, in); },
        cpu::reads(outputGradient), cpu::updates(x));
}

void CpuDevice::geluGradBias(int rows, int columns, ConstArray outputGradient, Array x, Array bias) {
    geluGrad(std::int64_t{rows} * columns, outputGradient, x);
    addColumnSums(rows, columns, x, bias);
}

}  // namespace shardlab::kernels
