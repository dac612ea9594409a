// SPDX-License-Identifier: Apache-2.0
// The codes and scales of fp8.h, written once for processors and GPUs.
#pragma once

#include "kernels/fp8.h"
#include "kernels/packed_code.h"

namespace shardlab::kernels {

SHARDLAB_EVERYWHERE inline std::uint32_t bitsOf(float x) {
    std::uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

SHARDLAB_EVERYWHERE inline PackedFormat packedFormat(Fp8Format format) {
    return format == Fp8Format::E4M3 ? PackedFormat{4, 3} : PackedFormat{5, 2};
}

SHARDLAB_EVERYWHERE inline bool isNumber(float x) { return (bitsOf(x) & 0x7fffffffu) <= 0x7f800000u; }

/// The code next to x. E4M3 has a code less than packed numbers with its fields, which is not-a-number.
SHARDLAB_EVERYWHERE inline std::uint8_t fp8Code(Fp8Format format, float x) {
    constexpr std::uint32_t notANumber = 0x7f, largestE4M3 = 0x7e;
    const std::uint32_t sign = bitsOf(x) >> 31 << 7;
    const std::uint32_t code = packedCode(packedFormat(format), x) & 0x7fu;
    const bool beyond = format == Fp8Format::E4M3 && code > largestE4M3;
    return static_cast<std::uint8_t>(sign | (!isNumber(x) ? notANumber : beyond ? largestE4M3 : code));
}

/// What the code stands for before its scale. Codes of infinities, which no rounding makes, count as not-a-number.
SHARDLAB_EVERYWHERE inline float ofFp8Code(Fp8Format format, std::uint8_t code) {
    const std::uint32_t size = code & 0x7fu, largest = format == Fp8Format::E4M3 ? 0x7eu : 0x7bu;
    if (size > largest) {
        const std::uint32_t bits = 0x7fc00000u;
        float none;
        memcpy(&none, &bits, sizeof none);
        return none;
    }
    return ofPackedCode(packedFormat(format), code);
}

/// Whether x is rounded to a number beyond the format's largest, if it had one.
SHARDLAB_EVERYWHERE inline bool fp8Saturates(Fp8Format format, float x) {
    const float size = x < 0 ? -x : x;
    // Half way to the next number; at E5M2 that tie would go up.
    return format == Fp8Format::E4M3 ? size > 464.0f : size >= 61440.0f;
}

/// The least e with largest ≤ largestOf(format) · 2^e, which is (1 + 3/4) · 2^8 or 2^15; at least −126, and 0 where the
/// largest is 0 or not finite.
SHARDLAB_EVERYWHERE inline int fp8Exponent(Fp8Format format, float largest) {
    const std::uint32_t bits = bitsOf(largest);
    if (bits == 0 || bits >= 0x7f800000u) return 0;
    const int exponent = static_cast<int>(bits >> 23) - 127 - (format == Fp8Format::E4M3 ? 8 : 15) +
                         ((bits & 0x7fffffu) > 0x600000u ? 1 : 0);
    return exponent < -126 ? -126 : exponent;
}

/// The scale as fp8Scales writes it in fp32.
SHARDLAB_EVERYWHERE inline float fp8Scale(Fp8Format format, bool powers, float largest) {
    if (powers) return powerOfTwo(-fp8Exponent(format, largest));
    const std::uint32_t bits = bitsOf(largest);
    if (bits == 0 || bits >= 0x7f800000u) return 1;
    constexpr float most = 3.402823466e38f;
    const float scale = (format == Fp8Format::E4M3 ? 448.0f : 57344.0f) / largest;
    return scale > most ? most : scale;
}
SHARDLAB_EVERYWHERE inline std::uint8_t fp8ScaleByte(Fp8Format format, float largest) {
    return static_cast<std::uint8_t>(fp8Exponent(format, largest) + 127);
}

/// The factor before rounding, and that of what a code stands for, from scales of either type.
SHARDLAB_EVERYWHERE inline float fp8Factor(ConstArray scales, std::int64_t tile) {
    if (scales.type == DType::U8) return powerOfTwo(127 - static_cast<const std::uint8_t*>(scales.data)[tile]);
    return static_cast<const float*>(scales.data)[tile];
}
SHARDLAB_EVERYWHERE inline float fp8Share(ConstArray scales, std::int64_t tile) {
    if (scales.type == DType::U8) return powerOfTwo(static_cast<const std::uint8_t*>(scales.data)[tile] - 127);
    return 1.0f / static_cast<const float*>(scales.data)[tile];
}

}  // namespace shardlab::kernels
