// SPDX-License-Identifier: Apache-2.0
#include "kernels/sgd.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <int N, class G, class P>
__global__ void sgdKernel(std::int64_t count, SgdUpdate update, const G* gradient, P* value, float* velocity,
                          float* master) {
    overElements<N>(count, [=](std::int64_t at, auto n) {
        const auto gradients = loadPack<n()>(gradient + at);
        Pack<P, n()> rounded;
        Pack<float, n()> exact;
        if (master) {
            exact = loadPack<n()>(master + at);
        } else {
            rounded = loadPack<n()>(value + at);
#pragma unroll
            for (int i = 0; i < n(); ++i) exact.set(i, rounded[i]);
        }
        Pack<float, n()> speed{};
        if (velocity) speed = loadPack<n()>(velocity + at);
#pragma unroll
        for (int i = 0; i < n(); ++i) {
            speed.set(i,
                      update.momentum * speed[i] + gradients[i] * update.gradientScale + update.weightDecay * exact[i]);
            exact.set(i, exact[i] - update.learningRate * speed[i]);
            rounded.set(i, exact[i]);
        }
        if (velocity) storePack(velocity + at, speed);
        if (master) storePack(master + at, exact);
        storePack(value + at, rounded);
    });
}

}  // namespace

void CudaDevice::sgd(std::int64_t count, const SgdUpdate& update, ConstArray gradient, Array value, float* velocity,
                     float* master) {
    withStateTypes(gradient.type, value.type, [&](auto g, auto p) {
        using G = typename decltype(g)::Type;
        using P = typename decltype(p)::Type;
        withElements(
            [&](auto n) {
                launch("sgd", sgdKernel<n(), G, P>, elementBlocks(count, n()), elementThreads, *queue_, count, update,
                       as<G>(gradient), as<P>(value), velocity, master);
            },
            gradient.data, value.data, velocity, master);
    });
}

}  // namespace shardlab::kernels::cuda
