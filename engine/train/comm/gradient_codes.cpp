// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/gradient_codes.h"

#include "kernels/cpu/convert.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace shardlab::train {

namespace {

using layout::codeBlock;
using layout::codeBlocks;

constexpr auto blockElements = static_cast<std::size_t>(codeBlock);

/// Rounds numbers of magnitudes below 2^22 to the nearest whole one: the sum has no place for fractions.
float nearestWhole(float x) {
    constexpr float bare = 12582912.0f;  // 1.5 · 2^23
    return (x + bare) - bare;
}

float normalOrZero(float scale) { return scale >= std::numeric_limits<float>::min() ? scale : 0.0f; }

bool allFinite(std::span<const float> a) {
    constexpr std::uint32_t magnitude = 0x7fffffff, infinity = 0x7f800000;
    std::uint32_t most = 0;
    for (const float each : a) most = std::max(most, std::bit_cast<std::uint32_t>(each) & magnitude);
    return most < infinity;
}

float scaleOf(ExchangeFormat format, std::span<const float> a) {
    if (format == ExchangeFormat::Bits1) {
        double sum = 0;
        for (const float each : a) sum += std::fabs(each);
        return normalOrZero(static_cast<float>(sum / static_cast<double>(a.size())));
    }
    float largest = 0;
    for (const float each : a) largest = std::max(largest, std::fabs(each));
    return normalOrZero(largest / (format == ExchangeFormat::Bits8 ? 127.0f : 7.0f));
}

/// The codes of a block, one a byte.
void codesOf(ExchangeFormat format, std::span<const float> a, float scale, std::int8_t* codes) {
    if (format == ExchangeFormat::Bits1) {
        for (std::size_t i = 0; i < a.size(); ++i) codes[i] = a[i] < 0 ? -1 : 1;
        return;
    }
    const float share = scale > 0 ? 1.0f / scale : 0.0f;
    for (std::size_t i = 0; i < a.size(); ++i) codes[i] = static_cast<std::int8_t>(nearestWhole(a[i] * share));
}

void pack(ExchangeFormat format, std::span<const std::int8_t> codes, std::byte* to) {
    if (format == ExchangeFormat::Bits8) {
        std::memcpy(to, codes.data(), codes.size());
        return;
    }
    const std::size_t each = format == ExchangeFormat::Bits4 ? 2 : 8;
    const unsigned bits = format == ExchangeFormat::Bits4 ? 4 : 1, mask = (1U << bits) - 1;
    for (std::size_t i = 0; i < codes.size(); i += each) {
        unsigned byte = 0;
        for (std::size_t k = 0; k < std::min(each, codes.size() - i); ++k) {
            const int code = codes[i + k];
            byte |= (bits == 1 ? static_cast<unsigned>(code < 0) : static_cast<unsigned>(code) & mask) << (bits * k);
        }
        to[i / each] = static_cast<std::byte>(byte);
    }
}

void unpack(ExchangeFormat format, const std::byte* from, std::span<std::int8_t> codes) {
    switch (format) {
    case ExchangeFormat::Full: return;
    case ExchangeFormat::Bits8: std::memcpy(codes.data(), from, codes.size()); return;
    case ExchangeFormat::Bits4:
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const int half = std::to_integer<int>(from[i / 2]) >> (4 * (i % 2)) & 15;
            codes[i] = static_cast<std::int8_t>((half ^ 8) - 8);
        }
        return;
    case ExchangeFormat::Bits1:
        for (std::size_t i = 0; i < codes.size(); ++i)
            codes[i] = (std::to_integer<unsigned>(from[i / 8]) >> (i % 8) & 1U) != 0 ? -1 : 1;
        return;
    }
}

/// Where the codes of block `block` of so many elements lie behind the scales.
std::size_t codesBegin(ExchangeFormat format, std::size_t elements, std::size_t block) {
    return sizeof(float) * static_cast<std::size_t>(codeBlocks(static_cast<std::int64_t>(elements))) +
           block * blockElements * static_cast<std::size_t>(layout::codeBits(format)) / 8;
}

/// Calls `visit(first element, its block's sums)` block by block.
template <class Visit>
void visitSums(ExchangeFormat format, CodeSources sources, std::size_t count, const Visit& visit) {
    std::int8_t codes[blockElements];
    float sums[blockElements];
    for (std::size_t first = 0, block = 0; first < count; first += blockElements, ++block) {
        const std::size_t size = std::min(blockElements, count - first);
        std::fill_n(sums, size, 0.0f);
        for (const std::span<const float> source : sources) {
            unpack(format, std::as_bytes(source).data() + codesBegin(format, count, block), {codes, size});
            for (std::size_t i = 0; i < size; ++i) sums[i] += static_cast<float>(codes[i]) * source[block];
        }
        visit(first, std::span<float>(sums, size));
    }
}

/// The codes of block `block` of so many elements; `a` is overwritten by its sum with the remainder.
void encodeBlock(ExchangeFormat format, std::size_t elements, std::size_t block, std::span<float> a,
                 std::span<float> remainder, std::span<float> codes) {
    std::int8_t made[blockElements] = {};
    std::byte* const place = std::as_writable_bytes(codes).data() + codesBegin(format, elements, block);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += remainder[i];
    const bool finite = allFinite(a);
    const float scale = codes[block] = finite ? scaleOf(format, a) : std::numeric_limits<float>::quiet_NaN();
    if (finite) codesOf(format, a, scale, made);
    pack(format, {made, a.size()}, place);
    for (std::size_t i = 0; finite && i < a.size(); ++i) remainder[i] = a[i] - static_cast<float>(made[i]) * scale;
}

}  // namespace

void encode(ExchangeFormat format, ConstArraySpan gradient, std::span<float> remainder, std::span<float> codes) {
    float a[blockElements];
    for (std::size_t first = 0, block = 0; first < gradient.size(); first += blockElements, ++block) {
        const std::size_t size = std::min(blockElements, gradient.size() - first);
        const auto columns = static_cast<std::int64_t>(size);
        cpu::toFloats(1, columns, gradient.data() + static_cast<std::ptrdiff_t>(first), columns, a, columns);
        encodeBlock(format, gradient.size(), block, {a, size}, remainder.subspan(first, size), codes);
    }
}

void encodeSum(ExchangeFormat format, CodeSources sources, std::span<float> remainder, std::span<float> codes) {
    visitSums(format, sources, remainder.size(), [&](std::size_t first, std::span<float> sums) {
        encodeBlock(format, remainder.size(), first / blockElements, sums, remainder.subspan(first, sums.size()),
                    codes);
    });
}

void decodeSum(ExchangeFormat format, CodeSources sources, ArraySpan sum) {
    visitSums(format, sources, sum.size(), [&](std::size_t first, std::span<const float> sums) {
        const auto columns = static_cast<std::int64_t>(sums.size());
        cpu::fromFloats(1, columns, sums.data(), columns, sum.data() + static_cast<std::ptrdiff_t>(first), columns);
    });
}

}  // namespace shardlab::train
