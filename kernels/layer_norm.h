// SPDX-License-Identifier: Apache-2.0
// Layer norm over the last dimension: y = (x − mean)·rstd·gamma + beta, rstd = 1/√(variance + 1e-5).
// input, output and gradients of them are [rows, columns], T; gamma and beta [columns], P; mean and rstd [rows], fp32.
// Tolerance against double precision: 1e-5 of the largest value, gradients 2e-5.
#pragma once

#include "kernels/array.h"

namespace shardlab {

struct LayerNormOps {
    /// Overwrites mean, rstd and output.
    virtual void layerNorm(int rows, int columns, ConstArray input, ConstArray gamma, ConstArray beta, float* mean,
                           float* rstd, Array output) = 0;

    /// Overwrites inputGradient with the gradient through the norm, plus `residualGradient` where that is not null (the
    /// branch that goes around the norm).
    virtual void layerNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* mean,
                                    const float* rstd, ConstArray outputGradient, ConstArray residualGradient,
                                    Array inputGradient) = 0;

    /// Adds to gammaGradient and betaGradient, G.
    virtual void layerNormWeightGrad(int rows, int columns, ConstArray input, const float* mean, const float* rstd,
                                     ConstArray outputGradient, Array gammaGradient, Array betaGradient) = 0;

protected:
    ~LayerNormOps() = default;
};

}  // namespace shardlab
