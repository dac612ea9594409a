// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/convert.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <atomic>
#include <vector>

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT double sumSquares(std::int64_t count, const float* values) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    return sum;
}

SHARDLAB_HOT void addElements(std::int64_t count, const float* __restrict from, float* __restrict to) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}

SHARDLAB_HOT void multiplyElements(std::int64_t count, float factor, float* values) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

/// Whether a word has all bits of the exponent set: infinite, or not a number.
template <class Word>
SHARDLAB_INLINE bool anyHas(std::int64_t count, const Word* words, Word exponent) {
    Word found = 0;
#pragma omp simd reduction(| : found)
    for (std::int64_t i = 0; i < count; ++i) found |= static_cast<Word>((words[i] & exponent) == exponent);
    return found != 0;
}

SHARDLAB_HOT bool anyHasWord(std::int64_t count, const std::uint32_t* words, std::uint32_t exponent) {
    return anyHas(count, words, exponent);
}
SHARDLAB_HOT bool anyHasHalf(std::int64_t count, const std::uint16_t* words, std::uint16_t exponent) {
    return anyHas(count, words, exponent);
}

bool anyNotFinite(std::int64_t count, ConstArray values) {
    if (values.type == DType::F32) return anyHasWord(count, static_cast<const std::uint32_t*>(values.data), 0x7F800000);
    const std::uint16_t exponent = values.type == DType::BF16 ? 0x7F80 : 0x7C00;
    return anyHasHalf(count, static_cast<const std::uint16_t*>(values.data), exponent);
}

/// Counts the exponents of fp32 values; zeros are among those of exponent 0.
struct ExponentCounts {
    std::array<std::int64_t, 256> of{};
    std::int64_t zeros = 0;
};

void countExponents(std::int64_t count, const float* values, ExponentCounts& counts) {
    for (std::int64_t i = 0; i < count; ++i) {
        std::uint32_t bits;
        std::memcpy(&bits, values + i, sizeof bits);
        counts.zeros += (bits & 0x7FFFFFFF) == 0;
        ++counts.of[bits >> 23 & 0xFF];
    }
}

}  // namespace

double CpuDevice::sumOfSquares(std::span<const ArrayPart> parts) {
    // Pieces of a fixed length are summed by themselves, so that the bits do not depend on the threads.
    constexpr std::int64_t piece = 1 << 16;
    double sum = 0;
    std::vector<double> sums;
    for (const ArrayPart& part : parts) {
        const std::int64_t pieces = (part.count + piece - 1) / piece;
        sums.assign(static_cast<std::size_t>(pieces), 0);
        cpu::shareOut(pieces, part.count, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                cpu::inBlocks(
                    i * piece, std::min((i + 1) * piece, part.count), cpu::blockElements, 1,
                    [&](std::int64_t, std::int64_t some, const float* values) {
                        sums[static_cast<std::size_t>(i)] += sumSquares(some, values);
                    },
                    cpu::reads(part.values));
        });
        for (const double some : sums) sum += some;
    }
    return sum;
}

void CpuDevice::convert(std::int64_t count, ConstArray from, Array to) {
    cpu::shareOut(count, count, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t all = end - begin;
        if (from.type == to.type)
            return copy((from + begin).data, (to + begin).data, static_cast<std::size_t>(all) * sizeOf(to.type));
        if (to.type == DType::F32) return cpu::toFloats(1, all, from + begin, all, to.floats() + begin, all);
        if (from.type == DType::F32) return cpu::fromFloats(1, all, from.floats() + begin, all, to + begin, all);
        cpu::inBlocks(
            begin, end, cpu::blockElements, 1,
            [&](std::int64_t first, std::int64_t some, const float* values) {
                cpu::fromFloats(1, some, values, some, to + first, some);
            },
            cpu::reads(from));
    });
}

void CpuDevice::add(std::int64_t count, ConstArray from, Array to) {
    cpu::byElements(
        count, [](std::int64_t, std::int64_t some, const float* x, float* sum) { addElements(some, x, sum); },
        cpu::reads(from), cpu::updates(to));
}

void CpuDevice::multiply(std::int64_t count, float factor, Array values) {
    cpu::byElements(
        count, [&](std::int64_t, std::int64_t some, float* x) { multiplyElements(some, factor, x); },
        cpu::updates(values));
}

void CpuDevice::noteNotFinite(std::int64_t count, ConstArray values, std::int32_t number, std::int32_t* first) {
    if (*first != 0) return;
    std::atomic<bool> found = false;
    cpu::shareOut(count, count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t at = begin; at < end && !found; at += cpu::blockElements)
            if (anyNotFinite(std::min(cpu::blockElements, end - at), values + at)) found = true;
    });
    if (found) *first = number;
}

void CpuDevice::addExponents(std::int64_t count, ConstArray values, ExponentHistogram& histogram) {
    ExponentCounts counts;
    cpu::inBlocks(
        0, count, cpu::blockElements, 1,
        [&](std::int64_t, std::int64_t some, const float* x) { countExponents(some, x, counts); }, cpu::reads(values));
    counts.of[0] -= counts.zeros;
    histogram.zeros += counts.zeros;
    histogram.notFinite += counts.of[255];
    for (int exponent = 0; exponent < 255; ++exponent) {
        const int bin = std::clamp(exponent - 127 - ExponentHistogram::first, 0, ExponentHistogram::bins - 1);
        histogram.counts[static_cast<std::size_t>(bin)] += counts.of[static_cast<std::size_t>(exponent)];
    }
}

}  // namespace shardlab::kernels
