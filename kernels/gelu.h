// SPDX-License-Identifier: Apache-2.0
// GELU in its tanh form (as GPT-2): g(x) = x/2 · (1 + tanh u), u = √(2/π)·(x + 0.044715 x³).
// Tolerance against double precision: 1e-6 of the largest value, gradient 1e-5.
#pragma once

#include "kernels/array.h"

#include <cstdint>

namespace shardlab {

struct GeluOps {
    /// x[r,c] += bias[c]; output = g(x). Both [rows, columns], T; bias: P.
    virtual void biasGelu(int rows, int columns, ConstArray bias, Array x, Array output) = 0;
    /// x := outputGradient · g′(x), element by element; `count` elements, T.
    virtual void geluGrad(std::int64_t count, ConstArray outputGradient, Array x) = 0;

protected:
    ~GeluOps() = default;
};

}  // namespace shardlab
