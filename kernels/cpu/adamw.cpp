// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <cmath>

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT void updateElements(std::int64_t count, const AdamWUpdate& update, float weightDecay,
                                 const float* gradient, float* value, float* first, float* second) {
    const float beta1 = update.beta1;
    const float beta2 = update.beta2;
    const float rest1 = 1.0f - beta1;
    const float rest2 = 1.0f - beta2;
    const float keep = 1.0f - update.learningRate * weightDecay;
    const float rate = update.learningRate / update.correction1;
    const float rootShare = 1.0f / std::sqrt(update.correction2);
    const float epsilon = update.epsilon;
    const float factor = update.gradientScale;
    const float* __restrict in = gradient;
    float* __restrict w = value;
    float* __restrict m = first;
    float* __restrict v = second;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = in[i] * factor;
        m[i] = beta1 * m[i] + rest1 * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
        w[i] = keep * w[i] - rate * m[i] / (std::sqrt(v[i]) * rootShare + epsilon);
    }
}

}  // namespace

void CpuDevice::adamw(const AdamWUpdate& update, std::span<const AdamWPart> parts) {
    for (const AdamWPart& part : parts) {
        const Array updated = part.master ? Array(part.master) : part.value;
        cpu::byElements(
            part.count,
            [&](std::int64_t first, std::int64_t count, const float* gradient, float* value, float* m, float* v) {
                updateElements(count, update, part.weightDecay, gradient, value, m, v);
                if (part.master) cpu::fromFloats(1, count, value, count, part.value + first, count);
            },
            cpu::reads(part.gradient), cpu::updates(updated), cpu::updates(part.first), cpu::updates(part.second));
    }
}

}  // namespace shardlab::kernels
