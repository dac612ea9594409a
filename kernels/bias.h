// SPDX-License-Identifier: Apache-2.0
// Biases, alone and together with what follows them in a transformer. Matrices are [rows, columns], row-major.
// The tolerance against double precision is 1e-6 of the largest value, that of sums 1e-5.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct BiasOps {
    /// matrix[r,c] += bias[c]. matrix: T, bias: P.
    virtual void addBias(int rows, int columns, ConstArray bias, Array matrix) = 0;
    static KernelWork addBiasWork(int rows, int columns, ConstArray, Array matrix) {
        return {KernelKind::Bias, bytesOf(matrix, 2.0 * rows * columns)};
    }

    /// matrix[r,c] += bias[c] + residual[r,c]: the end of a block's branch. bias: P, or null for none; residual: T.
    virtual void addBiasAndResidual(int rows, int columns, ConstArray bias, ConstArray residual, Array matrix) = 0;
    static KernelWork addBiasAndResidualWork(int rows, int columns, ConstArray, ConstArray, Array matrix) {
        return {KernelKind::Bias, bytesOf(matrix, 3.0 * rows * columns)};
    }

    /// bias[c] += Σ_r gradient[r,c]: the gradient of a bias, accumulated. gradient: T, bias: G.
    virtual void addColumnSums(int rows, int columns, ConstArray gradient, Array bias) = 0;
    static KernelWork addColumnSumsWork(int rows, int columns, ConstArray gradient, Array bias) {
        return {KernelKind::Bias, bytesOf(gradient, 1.0 * rows * columns) + bytesOf(bias, 2.0 * columns)};
    }

protected:
    ~BiasOps() = default;
};

#define SHARDLAB_BIAS_OPS(operation)                                                                                   \
    operation(BiasOps, addBias, 4) operation(BiasOps, addBiasAndResidual, 5) operation(BiasOps, addColumnSums, 4)

}  // namespace shardlab::kernels
