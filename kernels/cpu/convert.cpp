// SPDX-License-Identifier: Apache-2.0
// Conversions without branches and without instructions for 16 bits, so that they vectorise on every machine and give
// the same bits.
#include "kernels/cpu/convert.h"

#include "kernels/cpu/vector.h"

#include <algorithm>

namespace shardlab::kernels::cpu {

namespace {

SHARDLAB_INLINE std::uint32_t bitsOf(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

SHARDLAB_INLINE float floatOf(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

constexpr std::uint32_t infinity = 0x7F800000;

SHARDLAB_INLINE float ofBf16(std::uint16_t value) { return floatOf(std::uint32_t{value} << 16); }

SHARDLAB_INLINE std::uint16_t toBf16(float value) {
    const std::uint32_t bits = bitsOf(value);
    const std::uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    const std::uint32_t notANumber = bits >> 16 | 0x40;
    return static_cast<std::uint16_t>((bits & 0x7FFFFFFF) > infinity ? notANumber : rounded);
}

SHARDLAB_INLINE float ofF16(std::uint16_t value) {
    const std::uint32_t magnitude = std::uint32_t{value} & 0x7FFF;
    // The exponent's bias is 112 less; a product accounts for it also in subnormal numbers.
    const std::uint32_t finite = bitsOf(floatOf(magnitude << 13) * 0x1p112f);
    const std::uint32_t bits = magnitude >= 0x7C00 ? magnitude << 13 | infinity : finite;
    return floatOf(bits | (std::uint32_t{value} & 0x8000) << 16);
}

/// `chosen` where the condition holds; computed with masks, which the compiler never turns into a branch.
SHARDLAB_INLINE std::uint32_t select(bool condition, std::uint32_t chosen, std::uint32_t otherwise) {
    const std::uint32_t mask = -static_cast<std::uint32_t>(condition);
    return (chosen & mask) | (otherwise & ~mask);
}

SHARDLAB_INLINE std::uint16_t toF16(float value) {
    const std::uint32_t bits = bitsOf(value);
    const std::uint32_t magnitude = bits & 0x7FFFFFFF;
    const std::uint32_t carried = (magnitude - (112u << 23) + 0xFFF + (magnitude >> 13 & 1)) >> 13;
    const std::uint32_t normal = select(carried > 0x7C00, 0x7C00, carried);
    // In a sum with one half the last bit is worth 2⁻²⁴, as in fp16 below 2⁻¹⁴, so that the addition rounds.
    const std::uint32_t subnormal = bitsOf(floatOf(magnitude) + 0.5f) - bitsOf(0.5f);
    const std::uint32_t finite = select(magnitude < 0x38800000, subnormal, normal);
    const std::uint32_t half = select(magnitude > infinity, 0x7E00, finite);
    return static_cast<std::uint16_t>(half | (bits >> 16 & 0x8000));
}

using Halves = std::uint16_t;

SHARDLAB_HOT void bf16ToFloats(std::int64_t rows, std::int64_t columns, const Halves* from, std::int64_t strideFrom,
                               float* to, std::int64_t strideTo) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const Halves* __restrict in = from + r * strideFrom;
        float* __restrict out = to + r * strideTo;
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) out[c] = ofBf16(in[c]);
    }
}

SHARDLAB_HOT void f16ToFloats(std::int64_t rows, std::int64_t columns, const Halves* from, std::int64_t strideFrom,
                              float* to, std::int64_t strideTo) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const Halves* __restrict in = from + r * strideFrom;
        float* __restrict out = to + r * strideTo;
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) out[c] = ofF16(in[c]);
    }
}

SHARDLAB_HOT void floatsToBf16(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t strideFrom,
                               Halves* to, std::int64_t strideTo) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict in = from + r * strideFrom;
        Halves* __restrict out = to + r * strideTo;
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) out[c] = toBf16(in[c]);
    }
}

SHARDLAB_HOT void floatsToF16(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t strideFrom,
                              Halves* to, std::int64_t strideTo) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict in = from + r * strideFrom;
        Halves* __restrict out = to + r * strideTo;
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) out[c] = toF16(in[c]);
    }
}

/// Rows without gaps are converted as one row.
void join(std::int64_t& rows, std::int64_t& columns, std::int64_t strideFrom, std::int64_t strideTo) {
    if (strideFrom != columns || strideTo != columns) return;
    columns *= rows;
    rows = 1;
}

void copyRows(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t strideFrom, float* to,
              std::int64_t strideTo) {
    for (std::int64_t r = 0; r < rows; ++r) std::copy_n(from + r * strideFrom, columns, to + r * strideTo);
}

}  // namespace

void toFloats(std::int64_t rows, std::int64_t columns, ConstArray from, std::int64_t strideFrom, float* to,
              std::int64_t strideTo) {
    join(rows, columns, strideFrom, strideTo);
    const auto* halves = static_cast<const Halves*>(from.data);
    if (from.type == DType::BF16) bf16ToFloats(rows, columns, halves, strideFrom, to, strideTo);
    else if (from.type == DType::F16) f16ToFloats(rows, columns, halves, strideFrom, to, strideTo);
    else copyRows(rows, columns, from.floats(), strideFrom, to, strideTo);
}

void fromFloats(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t strideFrom, Array to,
                std::int64_t strideTo) {
    join(rows, columns, strideFrom, strideTo);
    auto* halves = static_cast<Halves*>(to.data);
    if (to.type == DType::BF16) floatsToBf16(rows, columns, from, strideFrom, halves, strideTo);
    else if (to.type == DType::F16) floatsToF16(rows, columns, from, strideFrom, halves, strideTo);
    else copyRows(rows, columns, from, strideFrom, to.floats(), strideTo);
}

}  // namespace shardlab::kernels::cpu
