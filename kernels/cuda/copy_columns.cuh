// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/grid.cuh"

namespace shardlab::kernels::cuda {

/// Copies columns [from, from + columns) of one matrix to columns [to, …) of another.
template <class From, class To>
__global__ void copyColumnsKernel(std::int64_t count, int columns, const From* from, int fromColumns, To* to,
                                  int toColumns) {
    overElements<1>(count, [&](std::int64_t index, auto) {
        const std::int64_t row = index / columns, column = index % columns;
        to[row * toColumns + column] = fromFloat<To>(toFloat(from[row * fromColumns + column]));
    });
}

}  // namespace shardlab::kernels::cuda
