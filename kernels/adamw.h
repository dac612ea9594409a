// SPDX-License-Identifier: Apache-2.0
// AdamW (Loshchilov and Hutter, 1711.05101): decoupled weight decay, bias-corrected moments, one pass.
// The tolerance against double precision is 1e-6 of the largest value a step.
#pragma once

#include "kernels/work.h"

#include <span>
#include <tuple>

namespace shardlab::kernels {

struct AdamWUpdate {
    float learningRate = 0;
    float beta1 = 0;
    float beta2 = 0;
    float epsilon = 0;
    float correction1 = 1;    ///< 1 − beta1^step
    float correction2 = 1;    ///< 1 − beta2^step
    float gradientScale = 1;  ///< the gradient is read as gradient · gradientScale
};

/// `count` elements of a parameter.
struct AdamWPart {
    std::int64_t count = 0;
    float weightDecay = 0;    ///< 0 for parameters that do not decay
    ConstArray gradient;      ///< G
    Array value;              ///< P
    float* master = nullptr;  ///< fp32; where given it is updated, and `value` becomes a rounded copy
    float* first = nullptr;
    float* second = nullptr;
    auto memory() { return std::tie(gradient, value, master, first, second); }
};

struct AdamWOps {
    /// Updates each part: first = beta1·first + (1 − beta1)·g; second = beta2·second + (1 − beta2)·g²;
    /// value −= rate·(weightDecay·value + (first/correction1)/(√(second/correction2) + epsilon)).
    virtual void adamw(const AdamWUpdate& update, std::span<const AdamWPart> parts) = 0;
    static KernelWork adamwWork(const AdamWUpdate&, std::span<const AdamWPart> parts) {
        KernelWork work{KernelKind::Optimizer};
        for (const AdamWPart& part : parts) {
            const auto elements = static_cast<double>(part.count);
            work.bytes += updatedBytes(part.gradient, part.value, part.master, elements) + 4 * sizeof(float) * elements;
        }
        return work;
    }

protected:
    ~AdamWOps() = default;
};

#define SHARDLAB_ADAMW_OPS(operation) operation(AdamWOps, adamw, 2)

}  // namespace shardlab::kernels
