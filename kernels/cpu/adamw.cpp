// SPDX-License-Identifier: Apache-2.0
#include "kernels/adamw.h"

#include "kernels/cpu/vector.h"

#include <cmath>

namespace shardlab {

SHARDLAB_HOT void adamw(std::int64_t count, const AdamWUpdate& update, const float* gradient, float* value,
                        float* first, float* second) {
    const float beta1 = update.beta1;
    const float beta2 = update.beta2;
    const float rest1 = 1.0f - beta1;
    const float rest2 = 1.0f - beta2;
    const float keep = 1.0f - update.learningRate * update.weightDecay;
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

}  // namespace shardlab
