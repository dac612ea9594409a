// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent, plain or with momentum. The tolerance against double precision is 1e-6 of the largest
// value a step.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

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
    static KernelWork sgdWork(std::int64_t count, const SgdUpdate&, ConstArray gradient, Array value,
                              const float* velocity, const float* master) {
        const auto elements = static_cast<double>(count);
        return {KernelKind::Optimizer,
                updatedBytes(gradient, value, master, elements) + bytesOf(velocity, 2 * elements)};
    }

protected:
    ~SgdOps() = default;
};

#define SHARDLAB_SGD_OPS(operation) operation(SgdOps, sgd, 6)

}  // namespace shardlab::kernels
