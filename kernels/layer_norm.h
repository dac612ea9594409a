// SPDX-License-Identifier: Apache-2.0
// Layer norm over the last dimension: y = (x − mean)·rstd·gamma + beta, rstd = 1/√(variance + epsilon).
// The input, the output and their gradients are [rows, columns], T; gamma and beta [columns], P; mean and rstd [rows],
// fp32. The tolerance against double precision is 1e-5 of the largest value, that of gradients 2e-5.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct LayerNormOps {
    /// Overwrites mean, rstd and output.
    virtual void layerNorm(int rows, int columns, float epsilon, ConstArray input, ConstArray gamma, ConstArray beta,
                           float* mean, float* rstd, Array output) = 0;
    static KernelWork layerNormWork(int rows, int columns, float, ConstArray input, const auto&...) {
        return {KernelKind::LayerNorm, bytesOf(input, 2.0 * rows * columns)};
    }

    /// Overwrites inputGradient with the gradient through the norm, plus `residualGradient` where that is not null (the
    /// branch that goes around the norm).
    virtual void layerNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* mean,
                                    const float* rstd, ConstArray outputGradient, ConstArray residualGradient,
                                    Array inputGradient) = 0;
    static KernelWork layerNormInputGradWork(int rows, int columns, ConstArray input, ConstArray, const float*,
                                             const float*, ConstArray, ConstArray residualGradient, Array) {
        return {KernelKind::LayerNormGradient,
                bytesOf(input, 3.0 * rows * columns) + bytesOf(residualGradient, 1.0 * rows * columns)};
    }

    /// Adds to gammaGradient and betaGradient, G.
    virtual void layerNormWeightGrad(int rows, int columns, ConstArray input, const float* mean, const float* rstd,
                                     ConstArray outputGradient, Array gammaGradient, Array betaGradient) = 0;
    static KernelWork layerNormWeightGradWork(int rows, int columns, ConstArray input, const float*, const float*,
                                              ConstArray, Array gammaGradient, Array) {
        return {KernelKind::LayerNormGradient,
                bytesOf(input, 2.0 * rows * columns) + bytesOf(gammaGradient, 4.0 * columns)};
    }

    /// layerNormInputGrad and layerNormWeightGrad, to their bits, where a device can in one pass over memory.
    virtual void layerNormGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* mean,
                               const float* rstd, ConstArray outputGradient, ConstArray residualGradient,
                               Array inputGradient, Array gammaGradient, Array betaGradient) = 0;
    static KernelWork layerNormGradWork(int rows, int columns, ConstArray input, ConstArray, const float*, const float*,
                                        ConstArray, ConstArray residualGradient, Array, Array gammaGradient, Array) {
        return {KernelKind::LayerNormGradient, bytesOf(input, 3.0 * rows * columns) +
                                                   bytesOf(residualGradient, 1.0 * rows * columns) +
                                                   bytesOf(gammaGradient, 4.0 * columns)};
    }

protected:
    ~LayerNormOps() = default;
};

#define SHARDLAB_LAYER_NORM_OPS(operation)                                                                             \
    operation(LayerNormOps, layerNorm, 9) operation(LayerNormOps, layerNormInputGrad, 9)                               \
        operation(LayerNormOps, layerNormWeightGrad, 8) operation(LayerNormOps, layerNormGrad, 11)

}  // namespace shardlab::kernels
