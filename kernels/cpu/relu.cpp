// SPDX-License-Identifier: Apache-2.0
#include "kernels/relu.h"

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT void cut(std::int64_t count, float* x) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) x[i] = x[i] < 0 ? 0.0f : x[i];
}

}  // namespace

void CpuDevice::relu(std::int64_t count, Array x) {
    cpu::byElements(
        count, [](std::int64_t, std::int64_t some, float* values) { cut(some, values); }, cpu::updates(x));
}

}  // namespace shardlab::kernels
