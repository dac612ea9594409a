// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent, plain or with momentum. Tolerance against double precision: 1e-6 of the largest value a
// step.
#pragma once

#include "kernels/array.h"

#include <cstdint>

namespace shardlab {

struct SgdUpdate {
    float learningRate = 0;
    float momentum = 0;
    float weightDecay = 0;    ///< 0 for parameters that do not decay
    float gradientScale = 1;  ///< the gradient is read as gradient · gradientScale
};

struct SgdOps {
    /// velocity = momentum·velocity + g + weightDecay·value; value −= rate·velocity.
    /// gradient: G, value: P; `velocity` starts at zero and may be null where momentum is 0. Where `master` is given it
    /// is updated, and `value` is a rounded copy of it.
    virtual void sgd(std::int64_t count, const SgdUpdate& update, ConstArray gradient, Array value, float* velocity,
                     float* master) = 0;

protected:
    ~SgdOps() = default;
};

}  // namespace shardlab
