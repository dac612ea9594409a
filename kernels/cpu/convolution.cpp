// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution.h"

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <cstring>

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT void addTo(std::int64_t count, const float* __restrict from, float* __restrict to) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}

SHARDLAB_HOT void maskBy(std::int64_t count, const float* __restrict activated, float* __restrict gradient) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = activated[i] > 0 ? gradient[i] : 0.0f;
}

/// Calls work(row) for each row of the images, over all samples.
template <class Work>
void byImageRows(const ImageShape& shape, std::int64_t elements, const Work& work) {
    cpu::shareOut(std::int64_t{shape.samples} * shape.height, elements, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) work(row);
    });
}

}  // namespace

// The three pixels of a patch's row are neighbours in the image, so that they are copied together, whatever their type.
void CpuDevice::spreadPatches(const ImageShape& shape, ConstArray images, Array patches) {
    const auto pixel = static_cast<std::size_t>(shape.channels) * sizeOf(images.type);
    const auto* const from = static_cast<const std::byte*>(images.data);
    auto* const to = static_cast<std::byte*>(patches.data);
    byImageRows(shape, 9 * shape.elements(), [&](std::int64_t row) {
        const int y = static_cast<int>(row % shape.height);
        for (int x = 0; x < shape.width; ++x) {
            std::byte* patch = to + static_cast<std::size_t>(row * shape.width + x) * 9 * pixel;
            for (int j = -1; j <= 1; ++j, patch += 3 * pixel) {
                if (y + j < 0 || y + j >= shape.height) {
                    std::memset(patch, 0, 3 * pixel);
                    continue;
                }
                const int first = x > 0 ? -1 : 0, last = x + 1 < shape.width ? 1 : 0;
                if (first == 0) std::memset(patch, 0, pixel);
                if (last == 0) std::memset(patch + 2 * pixel, 0, pixel);
                std::memcpy(patch + static_cast<std::size_t>(first + 1) * pixel,
                            from + static_cast<std::size_t>((row + j) * shape.width + x + first) * pixel,
                            static_cast<std::size_t>(last - first + 1) * pixel);
            }
        }
    });
}

void CpuDevice::sumPatches(const ImageShape& shape, ConstArray patches, ConstArray activated, Array images) {
    const std::int64_t channels = shape.channels, row = shape.width * channels;
    byImageRows(shape, 9 * shape.elements(), [&](std::int64_t imageRow) {
        const int y = static_cast<int>(imageRow % shape.height);
        const cpu::Floats sums(images + imageRow * row, cpu::Floats::Access::Write, row);
        std::fill_n(sums.data(), row, 0.0f);
        // Pixel y lies in the patches around y + j, there in row 1 − j.
        for (int j = -1; j <= 1; ++j) {
            if (y + j < 0 || y + j >= shape.height) continue;
            const cpu::ConstFloats around(patches + (imageRow + j) * 9 * row, 9 * row);
            for (int x = 0; x < shape.width; ++x)
                for (int i = -1; i <= 1; ++i) {
                    if (x + i < 0 || x + i >= shape.width) continue;
                    addTo(channels, around.data() + ((x + i) * 9 + (1 - j) * 3 + 1 - i) * channels,
                          sums.data() + x * channels);
                }
        }
        if (activated) maskBy(row, cpu::ConstFloats(activated + imageRow * row, row).data(), sums.data());
    });
}

}  // namespace shardlab::kernels
