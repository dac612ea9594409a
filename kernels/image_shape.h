// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace shardlab::kernels {

/// Images, or what convolutions make of them: [samples, height, width, channels], the channels of a pixel side by side.
struct ImageShape {
    int samples = 1;
    int height = 1;
    int width = 1;
    int channels = 1;
    bool operator==(const ImageShape&) const = default;

    std::int64_t pixels() const { return std::int64_t{samples} * height * width; }
    std::int64_t elements() const { return pixels() * channels; }
};

}  // namespace shardlab::kernels
