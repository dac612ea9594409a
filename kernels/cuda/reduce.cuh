// SPDX-License-Identifier: Apache-2.0
// Sums and maxima over the threads of a warp or a block, in a fixed order, so that every call gives the same bits.
#pragma once

#include <cuda_runtime.h>

namespace shardlab::kernels::cuda {

constexpr int warpSize_ = 32;

struct Sum {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a + b;
    }
};
struct Largest {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a > b ? a : b;
    }
};

/// Reduces over `Lanes` neighbouring lanes of a warp, all of which call it; every lane gets the result.
template <class Operation, int Lanes = warpSize_, class T>
__device__ T warpReduce(T value) {
#pragma unroll
    for (int distance = Lanes / 2; distance > 0; distance /= 2)
        value = Operation{}(value, __shfl_xor_sync(0xFFFFFFFFu, value, distance));
    return value;
}
template <class T>
__device__ T warpSum(T value) {
    return warpReduce<Sum>(value);
}
template <class T>
__device__ T warpMax(T value) {
    return warpReduce<Largest>(value);
}

/// Reduces over a block of `Threads` (a multiple of 32, in one dimension), all of which call it; every thread gets the
/// result.
template <class Operation, int Threads, class T>
__device__ T blockReduce(T value) {
    constexpr int warps = Threads / warpSize_;
    value = warpReduce<Operation>(value);
    if constexpr (warps > 1) {
        __shared__ T parts[warps];
        __syncthreads();  // other threads may still read the parts of the call before
        if (threadIdx.x % warpSize_ == 0) parts[threadIdx.x / warpSize_] = value;
        __syncthreads();
        value = parts[0];
#pragma unroll
        for (int warp = 1; warp < warps; ++warp) value = Operation{}(value, parts[warp]);
    }
    return value;
}
template <int Threads, class T>
__device__ T blockSum(T value) {
    return blockReduce<Sum, Threads>(value);
}
template <int Threads, class T>
__device__ T blockMax(T value) {
    return blockReduce<Largest, Threads>(value);
}

}  // namespace shardlab::kernels::cuda
