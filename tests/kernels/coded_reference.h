// SPDX-License-Identifier: Apache-2.0
// Gradients in 8 bits or less (kernels/gradient_codes.h), in the plainest words.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace shardlab::test {

/// What a receiver reads where `a` was sent, a part of a bucket.
inline std::vector<float> afterCoding(int bits, const std::vector<float>& a) {
    std::vector<float> read(a.size());
    for (std::size_t first = 0; first < a.size(); first += 256) {
        const std::size_t last = std::min(first + 256, a.size());
        double magnitudes = 0;
        float largest = 0;
        bool finite = true;
        for (std::size_t i = first; i < last; ++i) {
            magnitudes += std::abs(a[i]);
            largest = std::fmax(largest, std::abs(a[i]));
            finite = finite && std::isfinite(a[i]);
        }
        const float levels = bits == 8 ? 127 : 7;
        float scale = bits == 1 ? float(magnitudes / double(last - first)) : largest / levels;
        if (std::fpclassify(scale) != FP_NORMAL) scale = 0;
        const float perLevel = scale == 0 ? 0 : 1 / scale;
        for (std::size_t i = first; i < last; ++i)
            read[i] = !finite     ? std::numeric_limits<float>::quiet_NaN()
                      : bits == 1 ? std::copysign(scale, a[i] < 0 ? -1.0f : 1.0f)
                                  : std::nearbyint(a[i] * perLevel) * scale;
    }
    return read;
}

}  // namespace shardlab::test
