// SPDX-License-Identifier: Apache-2.0
// GELU in its tanh form (as GPT-2): g(x) = x/2 · (1 + tanh u), u = √(2/π)·(x + 0.044715 x³). fp32.
// Tolerance against double precision: 1e-6 of the largest value, gradient 1e-5.
#pragma once

#include <cstdint>

namespace shardlab {

/// x[r,c] += bias[c]; output = g(x). Both [rows, columns].
void biasGelu(int rows, int columns, const float* bias, float* x, float* output);
/// x := outputGradient · g′(x), element by element; `count` elements.
void geluGrad(std::int64_t count, const float* outputGradient, float* x);

}  // namespace shardlab
