// SPDX-License-Identifier: Apache-2.0
#include "kernels/sgd.h"

#include "kernels/cpu/vector.h"

namespace shardlab {

SHARDLAB_HOT void sgd(std::int64_t count, const SgdUpdate& update, const float* gradient, float* value,
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

}  // namespace shardlab
