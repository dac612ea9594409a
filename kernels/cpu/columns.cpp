// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"

#include <cstring>

namespace shardlab::kernels {

void CpuDevice::copyColumns(std::int64_t rows, int columns, ConstArray from, int fromStride, Array to, int toStride) {
    const std::size_t bytes = static_cast<std::size_t>(columns) * sizeOf(from.type);
    cpu::shareOut(rows, rows * columns, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            std::memcpy((to + row * toStride).data, (from + row * fromStride).data, bytes);
    });
}

}  // namespace shardlab::kernels
