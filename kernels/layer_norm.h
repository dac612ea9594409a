// SPDX-License-Identifier: Apache-2.0
// Layer norm over the last dimension: y = (x − mean)·rstd·gamma + beta, rstd = 1/√(variance + 1e-5).
// input, output and gradients are [rows, columns]; gamma and beta [columns]; mean and rstd [rows]; fp32.
// Tolerance against double precision: 1e-5 of the largest value, gradients 2e-5.
#pragma once

namespace shardlab {

/// Overwrites mean, rstd and output.
void layerNorm(int rows, int columns, const float* input, const float* gamma, const float* beta, float* mean,
               float* rstd, float* output);

/// Overwrites inputGradient with the gradient through the norm, plus `residualGradient` where that is not null (the
/// branch that goes around the norm).
void layerNormInputGrad(int rows, int columns, const float* input, const float* gamma, const float* mean,
                        const float* rstd, const float* outputGradient, const float* residualGradient,
                        float* inputGradient);

/// Adds to gammaGradient and betaGradient.
void layerNormWeightGrad(int rows, int columns, const float* input, const float* mean, const float* rstd,
                         const float* outputGradient, float* gammaGradient, float* betaGradient);

}  // namespace shardlab
