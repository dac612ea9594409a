// SPDX-License-Identifier: Apache-2.0
// Powers by the hardware's own instruction, which are off by at most 2⁻²² of themselves, and 0 below 2⁻¹²⁶;
// and products that are rounded by themselves.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

namespace shardlab::kernels::cuda {

/// 2^x.
__device__ inline float powerOfTwo(float x) {
#ifdef SHARDLAB_EMULATED_CUDA
    return std::exp2(x);
#else
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
#endif
}

/// e^x.
__device__ inline float powerOfE(float x) { return powerOfTwo(x * 1.4426950408889634f); }

/// a·b, rounded before anything is added to it.
__device__ inline float productAlone(float a, float b) {
#ifdef SHARDLAB_EMULATED_CUDA
    return a * b;
#else
    return __fmul_rn(a, b);
#endif
}

}  // namespace shardlab::kernels::cuda
