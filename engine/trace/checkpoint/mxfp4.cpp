// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/mxfp4.h"

#include <cmath>
#include <limits>

namespace shardlab::trace {

std::vector<float> mxfp4Numbers(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> scales) {
    constexpr float sizes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    constexpr int bias = 127, none = 255, signBit = 8;
    std::vector<float> numbers;
    numbers.reserve(2 * codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const int scale = scales[i / bytesOfMxfp4Block];
        const float factor = scale == none ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, scale - bias);
        for (const int code : {codes[i] & 15, codes[i] >> 4}) {
            const float size = sizes[code % signBit] * factor;
            numbers.push_back((code & signBit) != 0 ? -size : size);
        }
    }
    return numbers;
}

}  // namespace shardlab::trace
