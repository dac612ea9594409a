// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT void updateElements(std::int64_t count, const SgdUpdate& update, const float* gradient, float* value,
                                 float* velocity) {
    const float rate = update.learningRate;
    const float decay = update.weightDecay;
    const float factor = update.gradientScale;
    const float* __restrict g = gradient;
    float* __restrict w = value;
    if (!velocity) {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) w[i] -= rate * (g[i] * factor + decay * w[i]);
        return;
    }
    const float momentum = update.momentum;
    float* __restrict u = velocity;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
        u[i] = momentum * u[i] + (g[i] * factor + decay * w[i]);
        w[i] -= rate * u[i];
    }
}

}  // namespace

void CpuDevice::sgd(std::int64_t count, const SgdUpdate& update, ConstArray gradient, Array value, float* velocity,
                    float* master) {
    cpu::byElements(
        count,
        [&](std::int64_t first, std::int64_t some, const float* g, float* w, float* u) {
            updateElements(some, update, g, w, u);
            if (master) cpu::fromFloats(1, some, w, some, value + first, some);
        },
        cpu::reads(gradient), cpu::updates(master ? Array(master) : value), cpu::updates(velocity));
}

}  // namespace shardlab::kernels
