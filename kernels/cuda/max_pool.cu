// SPDX-License-Identifier: Apache-2.0
#include "kernels/max_pool.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"

namespace shardlab::kernels::cuda {

namespace {

constexpr int above = 4;  ///< the bit of a code that says that the largest is above 0

/// A window, whose four elements lie `row` and `channels` apart.
template <class T>
struct Window {
    T* first;
    std::int64_t row;
    int channels;

    __device__ Window(const ImageShape& shape, std::int64_t pooledRow, int element, T* images)
        : row(static_cast<std::int64_t>(shape.width) * shape.channels), channels(shape.channels) {
        first = images + 2 * pooledRow * row + static_cast<std::int64_t>(element / channels) * 2 * channels +
                element % channels;
    }
    __device__ T& at(int place) const { return first[place / 2 * row + place % 2 * channels]; }
    __device__ int largest() const {
        int best = 0;
        float most = toFloat(at(0));
#pragma unroll
        for (int i = 1; i < 4; ++i)
            if (const float value = toFloat(at(i)); value > most) {
                most = value;
                best = i;
            }
        return best;
    }
    /// The gradient goes to `place`; the other three elements get 0.
    __device__ void give(int place, float gradient) const {
#pragma unroll
        for (int i = 0; i < 4; ++i) at(i) = fromFloat<std::remove_cv_t<T>>(i == place ? gradient : 0.0f);
    }
};

/// Calls function(pooled row, first element there, how many, number of the pair) for each pair of neighbours, which
/// share a byte of codes.
template <class Function>
__device__ void overPairs(const ImageShape& shape, std::int64_t count, Function&& function) {
    const int pairs = static_cast<int>(poolCodesOfRow(shape)), elements = shape.width / 2 * shape.channels;
    overElements<1>(count, [&](std::int64_t at, auto) {
        const int first = static_cast<int>(at % pairs) * 2;
        function(at / pairs, first, elements - first < 2 ? 1 : 2, at);
    });
}

template <class T>
__global__ void maxPoolKernel(ImageShape shape, std::int64_t count, const T* images, T* pooled, std::uint8_t* codes) {
    overPairs(shape, count, [=](std::int64_t row, int first, int some, std::int64_t pair) {
        int both = 0;
        for (int i = 0; i < some; ++i) {
            const Window<const T> window(shape, row, first + i, images);
            const int place = window.largest();
            const T largest = window.at(place);
            pooled[row * (window.row / 2) + first + i] = largest;
            both |= (place | (toFloat(largest) > 0 ? above : 0)) << 4 * i;
        }
        if (codes) codes[pair] = static_cast<std::uint8_t>(both);
    });
}

template <class T>
__global__ void maxPoolGradKernel(ImageShape shape, std::int64_t count, const T* pooledGradient,
                                  const std::uint8_t* codes, T* images) {
    overPairs(shape, count, [=](std::int64_t row, int first, int some, std::int64_t pair) {
        for (int i = 0; i < some; ++i) {
            const Window<T> window(shape, row, first + i, images);
            int place = 0;
            bool passes = false;
            if (codes) {
                const int code = codes[pair] >> 4 * i;
                place = code & 3;
                passes = (code & above) != 0;
            } else {
                place = window.largest();
                passes = toFloat(window.at(place)) > 0;
            }
            window.give(place, passes ? toFloat(pooledGradient[row * (window.row / 2) + first + i]) : 0.0f);
        }
    });
}

/// How many pairs of neighbours the pooled rows have.
std::int64_t pairsOf(const ImageShape& shape) { return static_cast<std::int64_t>(poolCodes(shape)); }

}  // namespace

void CudaDevice::maxPool(const ImageShape& shape, ConstArray images, Array pooled, std::uint8_t* codes) {
    withType(images.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("maxPool", maxPoolKernel<T>, elementBlocks(pairsOf(shape), 1), elementThreads, *queue_, shape,
               pairsOf(shape), as<T>(images), as<T>(pooled), codes);
    });
}

void CudaDevice::maxPoolGrad(const ImageShape& shape, ConstArray pooledGradient, Array images) {
    maxPoolCodedGrad(shape, nullptr, pooledGradient, images);
}

void CudaDevice::maxPoolCodedGrad(const ImageShape& shape, const std::uint8_t* codes, ConstArray pooledGradient,
                                  Array images) {
    withType(images.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("maxPoolGrad", maxPoolGradKernel<T>, elementBlocks(pairsOf(shape), 1), elementThreads, *queue_, shape,
               pairsOf(shape), as<T>(pooledGradient), codes, as<T>(images));
    });
}

}  // namespace shardlab::kernels::cuda
