// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/floats.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace shardlab::kernels {

namespace {

/// Updates one row and returns its largest ν; merges its ν into `largest`, column by column. `moment` may be null.
SHARDLAB_HOT float updateRow(std::int64_t columns, const Sm3Update& update, float keep, float row,
                             const float* __restrict column, const float* __restrict gradient, float* __restrict value,
                             float* __restrict moment, float* __restrict largest) {
    const float rate = update.learningRate, factor = update.gradientScale;
    const float momentum = update.momentum, rest = 1.0f - update.momentum;
    float most = 0;
#pragma omp simd reduction(max : most)
    for (std::int64_t j = 0; j < columns; ++j) {
        const float g = gradient[j] * factor;
        const float v = (row < column[j] ? row : column[j]) + g * g;
        // Where ν is 0, so is g², and g counts as 0. Not-a-number stays not-a-number, so that it is noticed.
        const float root = v == 0 ? 0.0f : g / std::sqrt(v);
        float step = root;
        if (moment) {
            step = momentum * moment[j] + rest * root;
            moment[j] = step;
        }
        value[j] = keep * value[j] - rate * step;
        largest[j] = v > largest[j] ? v : largest[j];
        most = v > most ? v : most;
    }
    return most;
}

}  // namespace

void CpuDevice::sm3(const Sm3Update& update, std::span<const Sm3Part> parts) {
    constexpr float noRow = std::numeric_limits<float>::infinity();
    for (const Sm3Part& part : parts) {
        if (part.columns == 0) continue;
        const std::int64_t columns = part.columns;
        const float keep = 1.0f - update.learningRate * part.weightDecay;
        const Array updated = part.master ? Array(part.master) : part.value;
        const cpu::Scratch largest(static_cast<std::size_t>(columns));
        std::fill_n(largest.data(), columns, 0.0f);
        std::mutex merging;  // the maximum does not depend on the order
        const std::int64_t block = cpu::blockElements / columns + 1;
        cpu::shareOut(part.rows, part.rows * columns, [&](std::int64_t begin, std::int64_t end) {
            const cpu::Scratch own(static_cast<std::size_t>(columns));
            std::fill_n(own.data(), columns, 0.0f);
            cpu::inBlocks(
                begin, end, block, columns,
                [&](std::int64_t first, std::int64_t some, const float* gradient, float* value, float* moment) {
                    for (std::int64_t i = 0; i < some; ++i) {
                        const std::int64_t at = i * columns;
                        const float row = part.rowLargest ? part.rowLargest[first + i] : noRow;
                        const float most = updateRow(columns, update, keep, row, part.columnLargest, gradient + at,
                                                     value + at, moment ? moment + at : nullptr, own.data());
                        if (part.rowLargest) part.rowLargest[first + i] = most;
                    }
                    const std::int64_t count = some * columns;
                    if (part.master) cpu::fromFloats(1, count, value, count, part.value + first * columns, count);
                },
                cpu::reads(part.gradient), cpu::updates(updated), cpu::updates(part.moment));
            const std::lock_guard lock(merging);
            for (std::int64_t j = 0; j < columns; ++j) largest.data()[j] = std::max(largest.data()[j], own.data()[j]);
        });
        std::copy_n(largest.data(), columns, part.columnLargest);
    }
}

}  // namespace shardlab::kernels
