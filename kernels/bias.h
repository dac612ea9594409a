// SPDX-License-Identifier: Apache-2.0
// Biases, alone and together with what follows them in a transformer. Matrices are [rows, columns], row-major
// fp32. Tolerance against double precision: 1e-6 of the largest value, sums 1e-5.
#pragma once

namespace shardlab {

/// matrix[r,c] += bias[c].
void addBias(int rows, int columns, const float* bias, float* matrix);
/// matrix[r,c] += bias[c] + residual[r,c]: the end of a block's branch.
void addBiasAndResidual(int rows, int columns, const float* bias, const float* residual, float* matrix);
/// bias[c] += Σ_r gradient[r,c]: the gradient of a bias, accumulated.
void addColumnSums(int rows, int columns, const float* gradient, float* bias);

}  // namespace shardlab
