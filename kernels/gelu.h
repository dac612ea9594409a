// SPDX-License-Identifier: Apache-2.0
// GELU in its tanh form (as GPT-2): g(x) = x/2 · (1 + tanh u), u = √(2/π)·(x + 0.044715 x³).
// The tolerance against double precision is 1e-6 of the largest value, that of the gradient 1e-5.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct GeluOps {
    /// x[r,c] += bias[c]; output = g(x). Both [rows, columns], T; bias: P.
    virtual void biasGelu(int rows, int columns, ConstArray bias, Array x, Array output) = 0;
    static KernelWork biasGeluWork(int rows, int columns, ConstArray, Array x, Array) {
        return {KernelKind::Gelu, bytesOf(x, 3.0 * rows * columns)};
    }

    /// x := outputGradient · g′(x), element by element; `count` elements, T.
    virtual void geluGrad(std::int64_t count, ConstArray outputGradient, Array x) = 0;
    static KernelWork geluGradWork(std::int64_t count, ConstArray, Array x) {
        return {KernelKind::Gelu, bytesOf(x, 3.0 * static_cast<double>(count))};
    }

    /// x := outputGradient · g′(x), and bias[c] += Σ_r x[r,c] of what was written, the gradient of the bias that x
    /// was made with. x, outputGradient: [rows, columns], T; bias: G.
    virtual void geluGradBias(int rows, int columns, ConstArray outputGradient, Array x, Array bias) = 0;
    static KernelWork geluGradBiasWork(int rows, int columns, ConstArray, Array x, Array bias) {
        return {KernelKind::Gelu, bytesOf(x, 3.0 * rows * columns) + bytesOf(bias, 2.0 * columns)};
    }

protected:
    ~GeluOps() = default;
};

#define SHARDLAB_GELU_OPS(operation)                                                                                   \
    operation(GeluOps, biasGelu, 5) operation(GeluOps, geluGrad, 3) operation(GeluOps, geluGradBias, 5)

}  // namespace shardlab::kernels
