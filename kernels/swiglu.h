// SPDX-License-Identifier: Apache-2.0
// SwiGLU (2002.05202): output = silu(gate)·up, silu(x) = x / (1 + e^(−x)).
// The tolerance against double precision is 1e-6 of the largest value, that of the gradient 1e-5.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct SwigluOps {
    /// joined: [rows, 2·columns]; each row holds the gates, then the values that the gates let through. output: [rows,
    /// columns]. T.
    virtual void swiglu(int rows, int columns, ConstArray joined, Array output) = 0;
    static KernelWork swigluWork(int rows, int columns, ConstArray joined, Array) {
        return {KernelKind::Swiglu, bytesOf(joined, 3.0 * rows * columns)};
    }

    /// joined := its gradient; outputGradient: [rows, columns].
    virtual void swigluGrad(int rows, int columns, ConstArray outputGradient, Array joined) = 0;
    static KernelWork swigluGradWork(int rows, int columns, ConstArray, Array joined) {
        return {KernelKind::Swiglu, bytesOf(joined, 5.0 * rows * columns)};
    }

protected:
    ~SwigluOps() = default;
};

#define SHARDLAB_SWIGLU_OPS(operation) operation(SwigluOps, swiglu, 4) operation(SwigluOps, swigluGrad, 4)

}  // namespace shardlab::kernels
