// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/array.h"

#include <cstdint>

namespace shardlab {

struct PixelOps {
    /// images[i] = pixels[i] ÷ 127.5 − 1, of pixels in 0 … 255: in −1 … 1. T; 1e-6 off at most in fp32.
    virtual void scalePixels(std::int64_t count, const std::int32_t* pixels, Array images) = 0;

protected:
    ~PixelOps() = default;
};

}  // namespace shardlab
