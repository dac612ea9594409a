// SPDX-License-Identifier: Apache-2.0
#include "kernels/columns.h"

#include "kernels/cuda/copy_columns.cuh"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/launch.cuh"

namespace shardlab::kernels::cuda {

void CudaDevice::copyColumns(std::int64_t rows, int columns, ConstArray from, int fromStride, Array to, int toStride) {
    const std::int64_t count = rows * columns;
    if (count == 0) return;
    withType(from.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("copyColumns", copyColumnsKernel<T, T>, elementBlocks(count, 1), elementThreads, *queue_, count, columns,
               as<T>(from), fromStride, as<T>(to), toStride);
    });
}

}  // namespace shardlab::kernels::cuda
