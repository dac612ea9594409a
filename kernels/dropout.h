// SPDX-License-Identifier: Apache-2.0
// Dropout (1207.0580), inverted: an element is set to zero with probability `share`, or else divided by 1 − share. A
// mask is a function and is never stored: backward computes it again. Matrices are [rows, columns], row-major.
// The tolerance against double precision is 1e-6 of the largest value.
#pragma once

#include "kernels/row_positions.h"
#include "kernels/work.h"

namespace shardlab::kernels {

/// Element (r, c) of a matrix is dropped by a hash of (key, firstRow + rows.of(r), firstColumn + c) alone: every rank
/// that holds the row, or some of its columns, computes the same mask. share = 0 drops nothing.
struct DropoutMask {
    std::uint64_t key = 0;
    std::int64_t firstRow = 0;
    float share = 0;  ///< in [0, 1)
    int firstColumn = 0;
    HeldRows rows;
};

struct DropoutOps {
    /// matrix := mask(matrix). T.
    virtual void dropout(int rows, int columns, const DropoutMask& mask, Array matrix) = 0;
    static KernelWork dropoutWork(int rows, int columns, const DropoutMask&, Array matrix) {
        return {KernelKind::Dropout, bytesOf(matrix, 2.0 * rows * columns)};
    }

    /// matrix := mask(matrix), with `numbers`[r], on the device, in place of r. T.
    virtual void dropoutNumbered(int rows, int columns, const DropoutMask& mask, const std::int32_t* numbers,
                                 Array matrix) = 0;
    static KernelWork dropoutNumberedWork(int rows, int columns, const DropoutMask&, const std::int32_t*,
                                          Array matrix) {
        return {KernelKind::Dropout, bytesOf(matrix, 2.0 * rows * columns)};
    }

    /// output := mask(matrix): what dropout does to values, and to gradients; bias[c] += Σ_r output[r,c] of what was
    /// written. bias: G, or null for no sums.
    virtual void dropoutTo(int rows, int columns, const DropoutMask& mask, ConstArray matrix, Array output,
                           Array bias) = 0;
    static KernelWork dropoutToWork(int rows, int columns, const DropoutMask&, ConstArray matrix, Array, Array bias) {
        return {KernelKind::Dropout, bytesOf(matrix, 2.0 * rows * columns) + bytesOf(bias, 2.0 * columns)};
    }

    /// matrix := mask(matrix + bias) + residual: the end of a block's branch. bias: P.
    virtual void addBiasDropoutAndResidual(int rows, int columns, ConstArray bias, const DropoutMask& mask,
                                           ConstArray residual, Array matrix) = 0;
    static KernelWork addBiasDropoutAndResidualWork(int rows, int columns, ConstArray, const DropoutMask&, ConstArray,
                                                    Array matrix) {
        return {KernelKind::Dropout, bytesOf(matrix, 3.0 * rows * columns)};
    }

protected:
    ~DropoutOps() = default;
};

#define SHARDLAB_DROPOUT_OPS(operation)                                                                                \
    operation(DropoutOps, dropout, 4) operation(DropoutOps, dropoutNumbered, 5) operation(DropoutOps, dropoutTo, 6)    \
        operation(DropoutOps, addBiasDropoutAndResidual, 6)

}  // namespace shardlab::kernels
