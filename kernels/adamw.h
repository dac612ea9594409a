// SPDX-License-Identifier: Apache-2.0
// AdamW (Loshchilov and Hutter, 1711.05101): decoupled weight decay, bias-corrected moments, one pass.
// fp32. Tolerance against double precision: 1e-6 of the largest value a step.
#pragma once

#include <cstdint>

namespace shardlab {

struct AdamWUpdate {
    float learningRate = 0;
    float beta1 = 0;
    float beta2 = 0;
    float epsilon = 0;
    float weightDecay = 0;    ///< 0 for parameters that do not decay
    float correction1 = 1;    ///< 1 − beta1^step
    float correction2 = 1;    ///< 1 − beta2^step
    float gradientScale = 1;  ///< the gradient is read as gradient · gradientScale
};

/// first = beta1·first + (1 − beta1)·g; second = beta2·second + (1 − beta2)·g²;
/// value −= rate·(weightDecay·value + (first/correction1)/(√(second/correction2) + epsilon)).
void adamw(std::int64_t count, const AdamWUpdate& update, const float* gradient, float* value, float* first,
           float* second);

}  // namespace shardlab
