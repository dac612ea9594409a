// SPDX-License-Identifier: Apache-2.0
// g(x) of gelu.h and its slope, where x/2·(1 + tanh u) = x / (1 + e^(−2u)).
#pragma once

#include "kernels/cuda/math.cuh"

namespace shardlab::kernels::cuda {

/// 1 / (1 + e^(−2u)).
__device__ inline float geluShare(float x) {
    const float u = 0.7978845608028654f * (x + 0.044715f * x * x * x);
    return __fdividef(1.0f, 1.0f + powerOfE(-2.0f * u));
}

__device__ inline float gelu(float x) { return x * geluShare(x); }

__device__ inline float geluSlope(float x) {
    const float share = geluShare(x);
    const float slope = 0.7978845608028654f * (1.0f + 3.0f * 0.044715f * x * x);
    return share + 2.0f * x * share * (1.0f - share) * slope;
}

}  // namespace shardlab::kernels::cuda
