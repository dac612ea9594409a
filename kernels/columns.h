// SPDX-License-Identifier: Apache-2.0
// Parts of the columns of a matrix.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct ColumnOps {
    /// to[r·toStride + c] := from[r·fromStride + c] for all rows r and columns c; both of one type. What lies between
    /// the columns of `to` stays as it is.
    virtual void copyColumns(std::int64_t rows, int columns, ConstArray from, int fromStride, Array to,
                             int toStride) = 0;
    static KernelWork copyColumnsWork(std::int64_t rows, int columns, ConstArray from, int, Array, int) {
        return {KernelKind::Copy, bytesOf(from, 2.0 * static_cast<double>(rows) * columns)};
    }

protected:
    ~ColumnOps() = default;
};

#define SHARDLAB_COLUMN_OPS(operation) operation(ColumnOps, copyColumns, 6)

}  // namespace shardlab::kernels
