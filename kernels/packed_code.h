// SPDX-License-Identifier: Apache-2.0
// The rounding of packed_floats.h, written once for processors and GPUs.
#pragma once

#include "kernels/packed_floats.h"

#include <cstring>

#ifdef __CUDACC__
#define SHARDLAB_EVERYWHERE __host__ __device__
#else
#define SHARDLAB_EVERYWHERE
#endif

namespace shardlab::kernels {

SHARDLAB_EVERYWHERE inline float powerOfTwo(int exponent) {  // the exponent of a normal number
    const std::uint32_t bits = static_cast<std::uint32_t>(exponent + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

SHARDLAB_EVERYWHERE inline std::uint32_t packedCode(const PackedFormat& format, float x) {
    std::uint32_t word;
    memcpy(&word, &x, sizeof word);
    const std::uint32_t sign = word >> 31 << (format.exponent + format.fraction);
    const std::uint32_t size = word & 0x7fffffffu, largest = format.largestCode();
    const int least = format.leastExponent();
    const std::uint32_t leastNormal = static_cast<std::uint32_t>(least + 127) << 23;
    // Below the least normal number all lie as far apart as from that on. A sum with a number whose last bit is worth
    // as much is rounded to them. Both ways are taken, so that loops of processors need no branch.
    const float grid = powerOfTwo(least - format.fraction + 23);
    float sum;
    memcpy(&sum, &size, sizeof sum);
    sum += grid;
    std::uint32_t below, none;
    memcpy(&below, &sum, sizeof below);
    memcpy(&none, &grid, sizeof none);
    // A carry of the rounding goes from the fraction into the exponent by itself.
    const int lost = 23 - format.fraction;
    const std::uint32_t rounded = (size + (1u << (lost - 1)) - 1 + (size >> lost & 1u)) >> lost;
    const std::uint32_t code = rounded - (static_cast<std::uint32_t>(least + 126) << format.fraction);
    return sign | (size < leastNormal ? below - none : code > largest ? largest : code);
}

SHARDLAB_EVERYWHERE inline float ofPackedCode(const PackedFormat& format, std::uint32_t code) {
    const std::uint32_t size = code & ((1u << (format.exponent + format.fraction)) - 1);
    const std::uint32_t sign = code >> (format.exponent + format.fraction) & 1u;
    const int least = format.leastExponent();
    float magnitude;
    if (size >> format.fraction == 0) {
        magnitude = static_cast<float>(size) * powerOfTwo(least - format.fraction);
    } else {
        const std::uint32_t word = (size + (static_cast<std::uint32_t>(least + 126) << format.fraction))
                                   << (23 - format.fraction);
        memcpy(&magnitude, &word, sizeof magnitude);
    }
    return sign ? -magnitude : magnitude;
}

}  // namespace shardlab::kernels
