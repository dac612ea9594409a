// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

namespace shardlab::kernels {

namespace {

/// 1/(1 + e^(−x)).
SHARDLAB_INLINE float share(float x) { return 1.0f / (1.0f + cpu::expOf(-x)); }

SHARDLAB_HOT void gateRows(std::int64_t rows, int columns, const float* joined, float* output) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict gate = joined + r * 2 * columns;
        const float* __restrict up = gate + columns;
        float* __restrict out = output + r * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) out[c] = gate[c] * share(gate[c]) * up[c];
    }
}

SHARDLAB_HOT void gateGradRows(std::int64_t rows, int columns, const float* outputGradient, float* joined) {
    for (std::int64_t r = 0; r < rows; ++r) {
        float* __restrict gate = joined + r * 2 * columns;
        float* __restrict up = gate + columns;
        const float* __restrict gradient = outputGradient + r * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) {
            const float x = gate[c];
            const float open = share(x);
            gate[c] = gradient[c] * up[c] * (open + x * open * (1.0f - open));
            up[c] = gradient[c] * (x * open);
        }
    }
}

/// Calls body(rows, joined rows, other rows), where joined rows have 2·columns elements and the others have `columns`.
template <class Joined, class Single, class Body>
void byJoinedRows(std::int64_t rows, std::int64_t columns, const Joined& joined, const Single& single,
                  const Body& body) {
    const bool inPlace = joined.array.type == DType::F32 && single.array.type == DType::F32;
    const std::int64_t block = std::max<std::int64_t>(inPlace ? rows : cpu::blockElements / (2 * columns), 1);
    cpu::shareOut(rows, 2 * rows * columns, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t first = begin; first < end; first += block) {
            const std::int64_t some = std::min(block, end - first);
            const auto two = joined.open(first * 2 * columns, some * 2 * columns);
            const auto one = single.open(first * columns, some * columns);
            body(some, two.data(), one.data());
        }
    });
}

}  // namespace

void CpuDevice::swiglu(int rows, int columns, ConstArray joined, Array output) {
    byJoinedRows(rows, columns, cpu::reads(joined), cpu::writes(output),
                 [&](std::int64_t some, const float* in, float* out) { gateRows(some, columns, in, out); });
}

void CpuDevice::swigluGrad(int rows, int columns, ConstArray outputGradient, Array joined) {
    byJoinedRows(
        rows, columns, cpu::updates(joined), cpu::reads(outputGradient),
        [&](std::int64_t some, float* in, const float* gradient) { gateGradRows(some, columns, gradient, in); });
}

}  // namespace shardlab::kernels
