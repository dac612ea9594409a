// SPDX-License-Identifier: Apache-2.0
#include "kernels/gradient_codes.h"

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

namespace shardlab::kernels {

namespace {

constexpr auto blockElements = static_cast<std::size_t>(gradientCodeBlock);

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

float scaleOf(int bits, std::span<const float> a) {
    if (bits == 1) {
        double sum = 0;
        for (const float each : a) sum += std::fabs(each);
        return normalOrZero(static_cast<float>(sum / static_cast<double>(a.size())));
    }
    float largest = 0;
    for (const float each : a) largest = std::max(largest, std::fabs(each));
    return normalOrZero(largest / (bits == 8 ? 127.0f : 7.0f));
}

/// The codes of a block, one a byte.
void codesOf(int bits, std::span<const float> a, float scale, std::int8_t* codes) {
    if (bits == 1) {
        for (std::size_t i = 0; i < a.size(); ++i) codes[i] = a[i] < 0 ? -1 : 1;
        return;
    }
    const float share = scale > 0 ? 1.0f / scale : 0.0f;
    for (std::size_t i = 0; i < a.size(); ++i) codes[i] = static_cast<std::int8_t>(nearestWhole(a[i] * share));
}

void pack(int bits, std::span<const std::int8_t> codes, std::byte* to) {
    if (bits == 8) {
        std::memcpy(to, codes.data(), codes.size());
        return;
    }
    const std::size_t each = 8 / static_cast<std::size_t>(bits);
    const unsigned mask = (1U << bits) - 1;
    for (std::size_t i = 0; i < codes.size(); i += each) {
        unsigned byte = 0;
        for (std::size_t k = 0; k < std::min(each, codes.size() - i); ++k) {
            const int code = codes[i + k];
            byte |= (bits == 1 ? static_cast<unsigned>(code < 0) : static_cast<unsigned>(code) & mask)
                    << static_cast<std::size_t>(bits) * k;
        }
        to[i / each] = static_cast<std::byte>(byte);
    }
}

void unpack(int bits, const std::byte* from, std::span<std::int8_t> codes) {
    if (bits == 8) {
        std::memcpy(codes.data(), from, codes.size());
        return;
    }
    if (bits == 4) {
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const int half = std::to_integer<int>(from[i / 2]) >> (4 * (i % 2)) & 15;
            codes[i] = static_cast<std::int8_t>((half ^ 8) - 8);
        }
        return;
    }
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = (std::to_integer<unsigned>(from[i / 8]) >> (i % 8) & 1U) != 0 ? -1 : 1;
}

/// Where the codes of block `block` of so many elements lie behind the scales, in bytes.
std::size_t codesBegin(int bits, std::size_t count, std::size_t block) {
    return sizeof(float) * ((count + blockElements - 1) / blockElements) +
           block * blockElements * static_cast<std::size_t>(bits) / 8;
}

/// Calls visit(block, its first element, its elements) for all blocks, on several threads where there are many.
template <class Visit>
void overBlocks(std::int64_t count, const Visit& visit) {
    const std::int64_t blocks = (count + gradientCodeBlock - 1) / gradientCodeBlock;
    cpu::shareOut(blocks, count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t first = block * gradientCodeBlock;
            visit(static_cast<std::size_t>(block), first,
                  static_cast<std::size_t>(std::min(gradientCodeBlock, count - first)));
        }
    });
}

void sumBlock(int bits, std::int64_t count, int sources, std::int64_t stride, const float* from, std::size_t block,
              std::span<float> sums) {
    std::int8_t codes[blockElements];
    std::ranges::fill(sums, 0.0f);
    for (int source = 0; source < sources; ++source) {
        const float* const words = from + source * stride;
        const auto* const bytes = reinterpret_cast<const std::byte*>(words);
        unpack(bits, bytes + codesBegin(bits, static_cast<std::size_t>(count), block), {codes, sums.size()});
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<float>(codes[i]) * words[block];
    }
}

/// The codes of block `block` of so many elements; `a` is overwritten by its sum with the remainder.
void encodeBlock(int bits, std::int64_t count, std::size_t block, std::span<float> a, float* remainder, float* codes) {
    std::int8_t made[blockElements] = {};
    std::byte* const place =
        reinterpret_cast<std::byte*>(codes) + codesBegin(bits, static_cast<std::size_t>(count), block);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += remainder[i];
    const bool finite = allFinite(a);
    const float scale = codes[block] = finite ? scaleOf(bits, a) : std::numeric_limits<float>::quiet_NaN();
    if (finite) codesOf(bits, a, scale, made);
    pack(bits, {made, a.size()}, place);
    for (std::size_t i = 0; finite && i < a.size(); ++i) remainder[i] = a[i] - static_cast<float>(made[i]) * scale;
}

}  // namespace

void CpuDevice::encodeGradient(int bits, std::int64_t count, ConstArray gradient, float* remainder, float* codes) {
    overBlocks(count, [&](std::size_t block, std::int64_t first, std::size_t size) {
        float a[blockElements];
        const auto columns = static_cast<std::int64_t>(size);
        cpu::toFloats(1, columns, gradient + first, columns, a, columns);
        encodeBlock(bits, count, block, {a, size}, remainder + first, codes);
    });
}

void CpuDevice::encodeCodedSum(int bits, std::int64_t count, int sources, std::int64_t stride, const float* from,
                               float* remainder, float* codes) {
    overBlocks(count, [&](std::size_t block, std::int64_t first, std::size_t size) {
        float sums[blockElements];
        sumBlock(bits, count, sources, stride, from, block, {sums, size});
        encodeBlock(bits, count, block, {sums, size}, remainder + first, codes);
    });
}

void CpuDevice::decodeCodedSum(int bits, std::int64_t count, int sources, std::int64_t stride, const float* from,
                               Array sum) {
    overBlocks(count, [&](std::size_t block, std::int64_t first, std::size_t size) {
        float sums[blockElements];
        const auto columns = static_cast<std::int64_t>(size);
        sumBlock(bits, count, sources, stride, from, block, {sums, size});
        cpu::fromFloats(1, columns, sums, columns, sum + first, columns);
    });
}

}  // namespace shardlab::kernels
