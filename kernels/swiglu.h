// SPDX-License-Identifier: Apache-2.0
// SwiGLU (2002.05202): output = silu(gate)·up, silu(x) = x / (1 + e^(−x)).
// Tolerance against double precision: 1e-6 of the largest value, gradient 1e-5.
#pragma once

#include "kernels/array.h"

namespace shardlab {

struct SwigluOps {
    /// joined: [rows, 2·columns], of each row the gates, then what they let through; output: [rows, columns]. T.
    virtual void swiglu(int rows, int columns, ConstArray joined, Array output) = 0;
    /// joined := its gradient; outputGradient: [rows, columns].
    virtual void swigluGrad(int rows, int columns, ConstArray outputGradient, Array joined) = 0;

protected:
    ~SwigluOps() = default;
};

}  // namespace shardlab
