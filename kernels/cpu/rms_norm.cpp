// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <cmath>

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT void normRows(std::int64_t rows, int columns, float epsilon, const float* input, const float* gamma,
                           float* rstd, float* output) {
    const float share = 1.0f / static_cast<float>(columns);
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict x = input + r * columns;
        float* __restrict y = output + r * columns;
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < columns; ++c) squares += x[c] * x[c];
        const float factor = 1.0f / std::sqrt(squares * share + epsilon);
#pragma omp simd
        for (int c = 0; c < columns; ++c) y[c] = x[c] * factor * gamma[c];
        rstd[r] = factor;
    }
}

// With n = x·rstd and g = dy·gamma: dx = rstd·(g − n·mean(g·n)).
SHARDLAB_HOT void inputGradRows(std::int64_t rows, int columns, const float* input, const float* gamma,
                                const float* rstd, const float* outputGradient, const float* residualGradient,
                                float* inputGradient) {
    const float share = 1.0f / static_cast<float>(columns);
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t at = r * columns;
        const float* __restrict x = input + at;
        const float* __restrict dy = outputGradient + at;
        float* __restrict dx = inputGradient + at;
        const float factor = rstd[r];
        float product = 0;
#pragma omp simd reduction(+ : product)
        for (int c = 0; c < columns; ++c) product += dy[c] * gamma[c] * (x[c] * factor);
        product *= share;
        if (residualGradient) {
            const float* __restrict around = residualGradient + at;
#pragma omp simd
            for (int c = 0; c < columns; ++c) dx[c] = around[c] + factor * (dy[c] * gamma[c] - x[c] * factor * product);
        } else {
#pragma omp simd
            for (int c = 0; c < columns; ++c) dx[c] = factor * (dy[c] * gamma[c] - x[c] * factor * product);
        }
    }
}

SHARDLAB_HOT void addWeightGradRows(std::int64_t rows, std::int64_t columns, const float* input,
                                    std::ptrdiff_t inputStride, const float* rstd, const float* outputGradient,
                                    std::ptrdiff_t gradientStride, float* gammaGradient) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict x = input + r * inputStride;
        const float* __restrict dy = outputGradient + r * gradientStride;
        float* __restrict dGamma = gammaGradient;
        const float factor = rstd[r];
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) dGamma[c] += dy[c] * (x[c] * factor);
    }
}

}  // namespace

void CpuDevice::rmsNorm(int rows, int columns, float epsilon, ConstArray input, ConstArray gamma, float* rstd,
                        Array output) {
    const cpu::ConstFloats factor(gamma, columns);
    cpu::byRows(
        rows, columns,
        [&](std::int64_t first, std::int64_t some, const float* x, float* y) {
            normRows(some, columns, epsilon, x, factor.data(), rstd + first, y);
        },
        cpu::reads(input), cpu::writes(output));
}

void CpuDevice::rmsNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* rstd,
                                 ConstArray outputGradient, ConstArray residualGradient, Array inputGradient) {
    const cpu::ConstFloats factor(gamma, columns);
    cpu::byRows(
        rows, columns,
        [&](std::int64_t first, std::int64_t some, const float* x, const float* dy, const float* around, float* dx) {
            inputGradRows(some, columns, x, factor.data(), rstd + first, dy, around, dx);
        },
        cpu::reads(input), cpu::reads(outputGradient), cpu::reads(residualGradient), cpu::writes(inputGradient));
}

void CpuDevice::rmsNormWeightGrad(int rows, int columns, ConstArray input, const float* rstd, ConstArray outputGradient,
                                  Array gammaGradient) {
    cpu::byColumns(
        rows, columns,
        [&](std::int64_t first, std::int64_t width) {
            return cpu::Floats(gammaGradient + first, cpu::Floats::Access::Update, width);
        },
        [&](const cpu::Floats& sums, std::int64_t width, std::int64_t first, std::int64_t some,
            const cpu::ConstFloats& x, const cpu::ConstFloats& dy) {
            addWeightGradRows(some, width, x.data(), x.stride(), rstd + first, dy.data(), dy.stride(), sums.data());
        },
        input, outputGradient);
}

void CpuDevice::rmsNormGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* rstd,
                            ConstArray outputGradient, ConstArray residualGradient, Array inputGradient,
                            Array gammaGradient) {
    // The weights first: the input's gradient may take the place of the output's.
    rmsNormWeightGrad(rows, columns, input, rstd, outputGradient, gammaGradient);
    rmsNormInputGrad(rows, columns, input, gamma, rstd, outputGradient, residualGradient, inputGradient);
}

}  // namespace shardlab::kernels
