// SPDX-License-Identifier: Apache-2.0
// RMSNorm (1910.07467) over the last dimension: y = x·rstd·gamma, rstd = 1/√(mean(x²) + 1e-5).
// input, output and gradients of them are [rows, columns], T; gamma [columns], P; rstd [rows], fp32.
// Tolerance against double precision: 1e-5 of the largest value, gradients 2e-5.
#pragma once

#include "kernels/array.h"

namespace shardlab {

struct RmsNormOps {
    /// Overwrites rstd and output.
    virtual void rmsNorm(int rows, int columns, ConstArray input, ConstArray gamma, float* rstd, Array output) = 0;

    /// Overwrites inputGradient with the gradient through the norm, plus `residualGradient` where that is not null (the
    /// branch that goes around the norm).
    virtual void rmsNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* rstd,
                                  ConstArray outputGradient, ConstArray residualGradient, Array inputGradient) = 0;

    /// Adds to gammaGradient, G.
    virtual void rmsNormWeightGrad(int rows, int columns, ConstArray input, const float* rstd,
                                   ConstArray outputGradient, Array gammaGradient) = 0;

protected:
    ~RmsNormOps() = default;
};

}  // namespace shardlab
