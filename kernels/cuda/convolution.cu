// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"

namespace shardlab::kernels::cuda {

namespace {

/// An element of an image, or of one of the nine pixels of a patch.
struct Place {
    int channel, x, y;
    std::int64_t pixel;
    __device__ Place(const ImageShape& shape, std::int64_t element)
        : channel(static_cast<int>(element % shape.channels)), x(0), y(0), pixel(element / shape.channels) {
        x = static_cast<int>(pixel % shape.width);
        y = static_cast<int>(pixel / shape.width % shape.height);
    }
};

template <class T>
__global__ void spreadPatchesKernel(ImageShape shape, std::int64_t count, const T* images, T* patches) {
    overElements<1>(count, [=](std::int64_t at, auto) {
        const Place place(shape, at);
        T* const patch = patches + place.pixel * 9 * shape.channels + place.channel;
#pragma unroll
        for (int j = -1; j <= 1; ++j)
#pragma unroll
            for (int i = -1; i <= 1; ++i) {
                const int x = place.x + i, y = place.y + j;
                const bool inside = x >= 0 && x < shape.width && y >= 0 && y < shape.height;
                patch[((j + 1) * 3 + i + 1) * shape.channels] =
                    inside ? images[at + (static_cast<std::int64_t>(j) * shape.width + i) * shape.channels]
                           : fromFloat<T>(0.0f);
            }
    });
}

template <class T>
__global__ void sumPatchesKernel(ImageShape shape, std::int64_t count, const T* patches, const T* activated,
                                 T* images) {
    overElements<1>(count, [=](std::int64_t at, auto) {
        const Place place(shape, at);
        float sum = 0;
        if (!activated || toFloat(activated[at]) > 0) {
#pragma unroll
            for (int j = -1; j <= 1; ++j)
#pragma unroll
                for (int i = -1; i <= 1; ++i) {
                    const int x = place.x + i, y = place.y + j;
                    if (x < 0 || x >= shape.width || y < 0 || y >= shape.height) continue;
                    const std::int64_t pixel = place.pixel + static_cast<std::int64_t>(j) * shape.width + i;
                    sum += toFloat(patches[(pixel * 9 + (1 - j) * 3 + 1 - i) * shape.channels + place.channel]);
                }
        }
        images[at] = fromFloat<T>(sum);
    });
}

}  // namespace

void CudaDevice::spreadPatches(const ImageShape& shape, ConstArray images, Array patches) {
    withType(images.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("spreadPatches", spreadPatchesKernel<T>, elementBlocks(shape.elements(), 1), elementThreads, *queue_,
               shape, shape.elements(), as<T>(images), as<T>(patches));
    });
}

void CudaDevice::sumPatches(const ImageShape& shape, ConstArray patches, ConstArray activated, Array images) {
    withType(images.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("sumPatches", sumPatchesKernel<T>, elementBlocks(shape.elements(), 1), elementThreads, *queue_, shape,
               shape.elements(), as<T>(patches), as<T>(activated), as<T>(images));
    });
}

}  // namespace shardlab::kernels::cuda
