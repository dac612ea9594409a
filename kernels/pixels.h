// SPDX-License-Identifier: Apache-2.0
// Pixels of images as the numbers that a model reads.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct PixelOps {
    /// images[i] = pixels[i] ÷ 127.5 − 1: pixels in 0 … 255 become numbers in −1 … 1. T; 1e-6 off at most in fp32.
    virtual void scalePixels(std::int64_t count, const std::int32_t* pixels, Array images) = 0;
    static KernelWork scalePixelsWork(std::int64_t count, const std::int32_t*, Array images) {
        const auto elements = static_cast<double>(count);
        return {KernelKind::Pooling, elements * sizeof(std::int32_t) + bytesOf(images, elements)};
    }

protected:
    ~PixelOps() = default;
};

#define SHARDLAB_PIXEL_OPS(operation) operation(PixelOps, scalePixels, 3)

}  // namespace shardlab::kernels
