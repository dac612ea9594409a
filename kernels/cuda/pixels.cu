// SPDX-License-Identifier: Apache-2.0
#include "kernels/pixels.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <class T>
__global__ void scalePixelsKernel(std::int64_t count, const std::int32_t* pixels, T* images) {
    overElements<1>(count, [=](std::int64_t at, auto) {
        images[at] = fromFloat<T>(static_cast<float>(pixels[at]) * (2.0f / 255.0f) - 1.0f);
    });
}

}  // namespace

void CudaDevice::scalePixels(std::int64_t count, const std::int32_t* pixels, Array images) {
    withType(images.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("scalePixels", scalePixelsKernel<T>, elementBlocks(count, 1), elementThreads, *queue_, count, pixels,
               as<T>(images));
    });
}

}  // namespace shardlab::kernels::cuda
