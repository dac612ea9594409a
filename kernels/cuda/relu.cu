// SPDX-License-Identifier: Apache-2.0
#include "kernels/relu.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <int N, class T>
__global__ void reluKernel(std::int64_t count, T* x) {
    overElements<N>(count, [=](std::int64_t at, auto n) {
        auto values = loadPack<n()>(x + at);
#pragma unroll
        for (int i = 0; i < n(); ++i)
            if (values[i] < 0) values.set(i, 0.0f);
        storePack(x + at, values);
    });
}

}  // namespace

void CudaDevice::relu(std::int64_t count, Array x) {
    withType(x.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withElements(
            [&](auto n) {
                launch("relu", reluKernel<n(), T>, elementBlocks(count, n()), elementThreads, *queue_, count, as<T>(x));
            },
            static_cast<const void*>(x.data));
    });
}

}  // namespace shardlab::kernels::cuda
