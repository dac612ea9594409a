// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent, plain or with momentum. fp32.
// Tolerance against double precision: 1e-6 of the largest value a step.
#pragma once

#include <cstdint>

namespace shardlab {

struct SgdUpdate {
    float learningRate = 0;
    float momentum = 0;
    float weightDecay = 0;    ///< 0 for parameters that do not decay
    float gradientScale = 1;  ///< the gradient is read as gradient · gradientScale
};

/// velocity = momentum·velocity + g + weightDecay·value; value −= rate·velocity.
/// `velocity` starts at zero; it may be null where momentum is 0.
void sgd(std::int64_t count, const SgdUpdate& update, const float* gradient, float* value, float* velocity);

}  // namespace shardlab
