// SPDX-License-Identifier: Apache-2.0
// RMSNorm (1910.07467) over the last dimension: y = x·rstd·gamma, rstd = 1/√(mean(x²) + epsilon).
// The input, the output and their gradients are [rows, columns], T; gamma [columns], P; rstd [rows], fp32.
// The tolerance against double precision is 1e-5 of the largest value, that of gradients 2e-5.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct RmsNormOps {
    /// Overwrites rstd and output.
    virtual void rmsNorm(int rows, int columns, float epsilon, ConstArray input, ConstArray gamma, float* rstd,
                         Array output) = 0;
    static KernelWork rmsNormWork(int rows, int columns, float, ConstArray input, const auto&...) {
        return {KernelKind::RmsNorm, bytesOf(input, 2.0 * rows * columns)};
    }

    /// Overwrites inputGradient with the gradient through the norm, plus `residualGradient` where that is not null (the
    /// branch that goes around the norm).
    virtual void rmsNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* rstd,
                                  ConstArray outputGradient, ConstArray residualGradient, Array inputGradient) = 0;
    static KernelWork rmsNormInputGradWork(int rows, int columns, ConstArray input, ConstArray, const float*,
                                           ConstArray, ConstArray residualGradient, Array) {
        return {KernelKind::RmsNormGradient,
                bytesOf(input, 3.0 * rows * columns) + bytesOf(residualGradient, 1.0 * rows * columns)};
    }

    /// Adds to gammaGradient, G.
    virtual void rmsNormWeightGrad(int rows, int columns, ConstArray input, const float* rstd,
                                   ConstArray outputGradient, Array gammaGradient) = 0;
    static KernelWork rmsNormWeightGradWork(int rows, int columns, ConstArray input, const float*, ConstArray,
                                            Array gammaGradient) {
        return {KernelKind::RmsNormGradient,
                bytesOf(input, 2.0 * rows * columns) + bytesOf(gammaGradient, 2.0 * columns)};
    }

    /// rmsNormInputGrad and rmsNormWeightGrad, to their bits, where a device can in one pass over memory.
    virtual void rmsNormGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* rstd,
                             ConstArray outputGradient, ConstArray residualGradient, Array inputGradient,
                             Array gammaGradient) = 0;
    static KernelWork rmsNormGradWork(int rows, int columns, ConstArray input, ConstArray, const float*, ConstArray,
                                      ConstArray residualGradient, Array, Array gammaGradient) {
        return {KernelKind::RmsNormGradient, bytesOf(input, 3.0 * rows * columns) +
                                                 bytesOf(residualGradient, 1.0 * rows * columns) +
                                                 bytesOf(gammaGradient, 2.0 * columns)};
    }

protected:
    ~RmsNormOps() = default;
};

#define SHARDLAB_RMS_NORM_OPS(operation)                                                                               \
    operation(RmsNormOps, rmsNorm, 7) operation(RmsNormOps, rmsNormInputGrad, 8)                                       \
        operation(RmsNormOps, rmsNormWeightGrad, 6) operation(RmsNormOps, rmsNormGrad, 9)

}  // namespace shardlab::kernels
