// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <cmath>

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT void normRows(std::int64_t rows, int columns, float epsilon, const float* input, const float* gamma,
                           const float* beta, float* mean, float* rstd, float* output) {
    const float share = 1.0f / static_cast<float>(columns);
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict x = input + r * columns;
        float* __restrict y = output + r * columns;
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < columns; ++c) sum += x[c];
        const float centre = sum * share;
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < columns; ++c) squares += (x[c] - centre) * (x[c] - centre);
        const float factor = 1.0f / std::sqrt(squares * share + epsilon);
#pragma omp simd
        for (int c = 0; c < columns; ++c) y[c] = (x[c] - centre) * factor * gamma[c] + beta[c];
        mean[r] = centre;
        rstd[r] = factor;
    }
}

// With n = (x − mean)·rstd and g = dy·gamma: dx = rstd·(g − mean(g) − n·mean(g·n)).
SHARDLAB_HOT void inputGradRows(std::int64_t rows, int columns, const float* input, const float* gamma,
                                const float* mean, const float* rstd, const float* outputGradient,
                                const float* residualGradient, float* inputGradient) {
    const float share = 1.0f / static_cast<float>(columns);
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t at = r * columns;
        const float* __restrict x = input + at;
        const float* __restrict dy = outputGradient + at;
        float* __restrict dx = inputGradient + at;
        const float centre = mean[r];
        const float factor = rstd[r];
        float sum = 0;
        float product = 0;
#pragma omp simd reduction(+ : sum, product)
        for (int c = 0; c < columns; ++c) {
            const float g = dy[c] * gamma[c];
            sum += g;
            product += g * ((x[c] - centre) * factor);
        }
        sum *= share;
        product *= share;
        if (residualGradient) {
            const float* __restrict around = residualGradient + at;
#pragma omp simd
            for (int c = 0; c < columns; ++c) {
                dx[c] = around[c] + factor * (dy[c] * gamma[c] - sum - (x[c] - centre) * factor * product);
            }
        } else {
#pragma omp simd
            for (int c = 0; c < columns; ++c) {
                dx[c] = factor * (dy[c] * gamma[c] - sum - (x[c] - centre) * factor * product);
            }
        }
    }
}

SHARDLAB_HOT void addWeightGradRows(std::int64_t rows, std::int64_t columns, const float* input,
                                    std::ptrdiff_t inputStride, const float* mean, const float* rstd,
                                    const float* outputGradient, std::ptrdiff_t gradientStride, float* gammaGradient,
                                    float* betaGradient) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict x = input + r * inputStride;
        const float* __restrict dy = outputGradient + r * gradientStride;
        float* __restrict dGamma = gammaGradient;
        float* __restrict dBeta = betaGradient;
        const float centre = mean[r];
        const float factor = rstd[r];
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) {
            dGamma[c] += dy[c] * ((x[c] - centre) * factor);
            dBeta[c] += dy[c];
        }
    }
}

struct WeightSums {
    cpu::Floats gamma;
    cpu::Floats beta;
};

}  // namespace

void CpuDevice::layerNorm(int rows, int columns, float epsilon, ConstArray input, ConstArray gamma, ConstArray beta,
                          float* mean, float* rstd, Array output) {
    const cpu::ConstFloats factor(gamma, columns);
    const cpu::ConstFloats shift(beta, columns);
    cpu::byRows(
        rows, columns,
        [&](std::int64_t first, std::int64_t some, const float* x, float* y) {
            normRows(some, columns, epsilon, x, factor.data(), shift.data(), mean + first, rstd + first, y);
        },
        cpu::reads(input), cpu::writes(output));
}

void CpuDevice::layerNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* mean,
                                   const float* rstd, ConstArray outputGradient, ConstArray residualGradient,
                                   Array inputGradient) {
    const cpu::ConstFloats factor(gamma, columns);
    cpu::byRows(
        rows, columns,
        [&](std::int64_t first, std::int64_t some, const float* x, const float* dy, const float* around, float* dx) {
            inputGradRows(some, columns, x, factor.data(), mean + first, rstd + first, dy, around, dx);
        },
        cpu::reads(input), cpu::reads(outputGradient), cpu::reads(residualGradient), cpu::writes(inputGradient));
}

void CpuDevice::layerNormWeightGrad(int rows, int columns, ConstArray input, const float* mean, const float* rstd,
                                    ConstArray outputGradient, Array gammaGradient, Array betaGradient) {
    cpu::byColumns(
        rows, columns,
        [&](std::int64_t first, std::int64_t width) {
            constexpr auto update = cpu::Floats::Access::Update;
            return WeightSums{{gammaGradient + first, update, width}, {betaGradient + first, update, width}};
        },
        [&](const WeightSums& sums, std::int64_t width, std::int64_t first, std::int64_t some,
            const cpu::ConstFloats& x, const cpu::ConstFloats& dy) {
            addWeightGradRows(some, width, x.data(), x.stride(), mean + first, rstd + first, dy.data(), dy.stride(),
                              sums.gamma.data(), sums.beta.data());
        },
        input, outputGradient);
}

void CpuDevice::layerNormGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* mean,
                              const float* rstd, ConstArray outputGradient, ConstArray residualGradient,
                              Array inputGradient, Array gammaGradient, Array betaGradient) {
    // The weights first: the input's gradient may take the place of the output's.
    layerNormWeightGrad(rows, columns, input, mean, rstd, outputGradient, gammaGradient, betaGradient);
    layerNormInputGrad(rows, columns, input, gamma, mean, rstd, outputGradient, residualGradient, inputGradient);
}

}  // namespace shardlab::kernels
