// SPDX-License-Identifier: Apache-2.0
// Biases, alone and together with what follows them in a transformer. Matrices are [rows, columns], row-major.
// Tolerance against double precision: 1e-6 of the largest value, sums 1e-5.
#pragma once

#include "kernels/array.h"

namespace shardlab {

struct BiasOps {
    /// matrix[r,c] += bias[c]. matrix: T, bias: P.
    virtual void addBias(int rows, int columns, ConstArray bias, Array matrix) = 0;
    /// matrix[r,c] += bias[c] + residual[r,c]: the end of a block's branch. residual: T.
    virtual void addBiasAndResidual(int rows, int columns, ConstArray bias, ConstArray residual, Array matrix) = 0;
    /// bias[c] += Σ_r gradient[r,c]: the gradient of a bias, accumulated. gradient: T, bias: G.
    virtual void addColumnSums(int rows, int columns, ConstArray gradient, Array bias) = 0;

protected:
    ~BiasOps() = default;
};

}  // namespace shardlab
