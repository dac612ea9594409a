// SPDX-License-Identifier: Apache-2.0
#include "kernels/layer_norm.h"

#include "kernels/cpu/vector.h"

#include <cmath>
#include <cstddef>

namespace shardlab {

SHARDLAB_HOT void layerNorm(int rows, int columns, const float* input, const float* gamma, const float* beta,
                            float* mean, float* rstd, float* output) {
    const float share = 1.0f / static_cast<float>(columns);
    for (int r = 0; r < rows; ++r) {
        const float* __restrict x = input + static_cast<std::ptrdiff_t>(r) * columns;
        float* __restrict y = output + static_cast<std::ptrdiff_t>(r) * columns;
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < columns; ++c) sum += x[c];
        const float centre = sum * share;
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < columns; ++c) squares += (x[c] - centre) * (x[c] - centre);
        const float factor = 1.0f / std::sqrt(squares * share + 1e-5f);
#pragma omp simd
        for (int c = 0; c < columns; ++c) y[c] = (x[c] - centre) * factor * gamma[c] + beta[c];
        mean[r] = centre;
        rstd[r] = factor;
    }
}

// With n = (x − mean)·rstd and g = dy·gamma: dx = rstd·(g − mean(g) − n·mean(g·n)).
SHARDLAB_HOT void layerNormInputGrad(int rows, int columns, const float* input, const float* gamma, const float* mean,
                                     const float* rstd, const float* outputGradient, const float* residualGradient,
                                     float* inputGradient) {
    const float share = 1.0f / static_cast<float>(columns);
    for (int r = 0; r < rows; ++r) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(r) * columns;
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

SHARDLAB_HOT void layerNormWeightGrad(int rows, int columns, const float* input, const float* mean, const float* rstd,
                                      const float* outputGradient, float* gammaGradient, float* betaGradient) {
    for (int r = 0; r < rows; ++r) {
        const float* __restrict x = input + static_cast<std::ptrdiff_t>(r) * columns;
        const float* __restrict dy = outputGradient + static_cast<std::ptrdiff_t>(r) * columns;
        float* __restrict dGamma = gammaGradient;
        float* __restrict dBeta = betaGradient;
        const float centre = mean[r];
        const float factor = rstd[r];
#pragma omp simd
        for (int c = 0; c < columns; ++c) {
            dGamma[c] += dy[c] * ((x[c] - centre) * factor);
            dBeta[c] += dy[c];
        }
    }
}

}  // namespace shardlab
