// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <algorithm>

namespace shardlab::kernels {

namespace {

bool isAmong(std::int32_t row, int first, int count) { return row >= first && row - first < count; }

SHARDLAB_HOT void scaled(std::int64_t count, float factor, const float* __restrict from, float* __restrict to) {
#pragma omp simd
    for (std::int64_t c = 0; c < count; ++c) to[c] = factor * from[c];
}

SHARDLAB_HOT void addScaled(std::int64_t count, float factor, const float* __restrict from, float* __restrict to) {
#pragma omp simd
    for (std::int64_t c = 0; c < count; ++c) to[c] += factor * from[c];
}

SHARDLAB_HOT float dotOf(std::int64_t count, const float* a, const float* b) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t c = 0; c < count; ++c) sum += a[c] * b[c];
    return sum;
}

}  // namespace

void CpuDevice::gatherRows(int rows, int columns, int choices, const std::int32_t* places, const float* weights,
                           ConstArray from, Array to) {
    const std::int64_t width = columns;
    cpu::shareOut(rows, rows * width, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
            const cpu::Floats out(to + r * width, cpu::Floats::Access::Write, width);
            const std::int32_t place = places[r];
            if (place < 0) {
                std::fill_n(out.data(), width, 0.0f);
                continue;
            }
            const cpu::ConstFloats token(from + place / choices * width, width);
            scaled(width, weights ? weights[place] : 1.0f, token.data(), out.data());
        }
    });
}

void CpuDevice::sumRows(int tokens, int columns, int choices, const std::int32_t* rows, int first, int count,
                        const float* weights, ConstArray from, Array to) {
    const std::int64_t width = columns;
    cpu::shareOut(tokens, tokens * width, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            const cpu::Floats out(to + t * width, cpu::Floats::Access::Write, width);
            std::fill_n(out.data(), width, 0.0f);
            for (std::int64_t at = t * choices; at < (t + 1) * choices; ++at) {
                if (!isAmong(rows[at], first, count)) continue;
                const cpu::ConstFloats row(from + (rows[at] - first) * width, width);
                addScaled(width, weights ? weights[at] : 1.0f, row.data(), out.data());
            }
        }
    });
}

void CpuDevice::dotRows(int tokens, int columns, int choices, const std::int32_t* rows, int first, int count,
                        ConstArray from, ConstArray matrix, float* dots) {
    const std::int64_t width = columns;
    cpu::shareOut(tokens, tokens * width, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            const cpu::ConstFloats token(matrix + t * width, width);
            for (std::int64_t at = t * choices; at < (t + 1) * choices; ++at) {
                dots[at] = 0;
                if (!isAmong(rows[at], first, count)) continue;
                const cpu::ConstFloats row(from + (rows[at] - first) * width, width);
                dots[at] = dotOf(width, token.data(), row.data());
            }
        }
    });
}

}  // namespace shardlab::kernels
