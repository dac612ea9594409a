// SPDX-License-Identifier: Apache-2.0
// Dropout (1207.0580), inverted: an element is set to zero with probability `share`, or else divided by 1 − share. A
// mask is a function and is never stored: backward asks it again. Matrices are [rows, columns], row-major, fp32.
// Tolerance against double precision: 1e-6 of the largest value.
#pragma once

#include <cstdint>

namespace shardlab {

/// Element (r, c) of a matrix is dropped by a hash of (key, firstRow + r, c) alone: whoever holds the row finds the same
/// mask. share = 0 drops nothing.
struct DropoutMask {
    std::uint64_t key = 0;
    std::int64_t firstRow = 0;
    float share = 0;  ///< in [0, 1)
};

/// matrix := mask(matrix).
void dropout(int rows, int columns, const DropoutMask& mask, float* matrix);
/// output := mask(matrix): what dropout does to values, and to gradients.
void dropoutTo(int rows, int columns, const DropoutMask& mask, const float* matrix, float* output);
/// matrix := mask(matrix + bias) + residual: the end of a block's branch.
void addBiasDropoutAndResidual(int rows, int columns, const float* bias, const DropoutMask& mask,
                               const float* residual, float* matrix);

}  // namespace shardlab
