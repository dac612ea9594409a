// SPDX-License-Identifier: Apache-2.0
// ReLU: max(x, 0). Not-a-number stays not-a-number.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct ReluOps {
    /// x := max(x, 0), element by element; T. Exact. Its gradient is part of the operation above it: sumPatches,
    /// maxPoolGrad.
    virtual void relu(std::int64_t count, Array x) = 0;
    static KernelWork reluWork(std::int64_t count, Array x) {
        return {KernelKind::Pooling, bytesOf(x, 2 * static_cast<double>(count))};
    }

protected:
    ~ReluOps() = default;
};

#define SHARDLAB_RELU_OPS(operation) operation(ReluOps, relu, 2)

}  // namespace shardlab::kernels
