// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/reduction.h"

#include "kernels/cpu/convert.h"
#include "kernels/cpu/vector.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace shardlab::train {

namespace {

constexpr std::size_t stretch = 512;  ///< elements at a time, so that widened numbers stay in the nearest cache

SHARDLAB_HOT void sum(std::size_t count, const float* a, const float* b, float* to) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
}

SHARDLAB_HOT void larger(std::size_t count, const float* a, const float* b, float* to) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) to[i] = a[i] < b[i] ? b[i] : a[i];
}

/// The numbers as fp32: where they lie, or widened in `place`.
const float* widened(const std::byte* from, DType type, std::size_t count, float* place) {
    if (type == DType::F32) return reinterpret_cast<const float*>(from);
    const auto columns = static_cast<std::int64_t>(count);
    cpu::toFloats(1, columns, {from, type}, columns, place, columns);
    return place;
}

/// The pages of other processes' memory are scattered, so that the processor does not prefetch the next one by itself.
void foresee(const std::byte* begin, std::size_t bytes) {
    constexpr std::size_t line = 64;
    for (std::size_t i = 0; i < bytes; i += line) __builtin_prefetch(begin + i, 1);
}

void narrow(const float* from, std::size_t count, std::byte* to, DType type) {
    const auto columns = static_cast<std::int64_t>(count);
    if (type == DType::F32) std::memcpy(to, from, count * sizeof(float));
    else cpu::fromFloats(1, columns, from, columns, {to, type}, columns);
}

constexpr std::size_t longerThanCaches = std::size_t{1} << 20;

/// The results are not read soon, so that stores bypass the caches.
void writePast(const std::byte* from, std::byte* to, std::size_t bytes) {
#ifdef __SSE2__
    constexpr std::size_t word = sizeof(__m128i);
    const std::size_t head = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % word);
    std::memcpy(to, from, head);
    std::size_t at = head;
    for (; at + word <= bytes; at += word)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
    std::memcpy(to + at, from + at, bytes - at);
#else
    std::memcpy(to, from, bytes);
#endif
}

/// To be called before others are told about results that were written in this way.
void endOfWritingPast() {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

bool among(std::span<const std::byte* const> sources, const std::byte* result) {
    return std::ranges::find(sources, result) != sources.end();
}

}  // namespace

void copyArray(const std::byte* from, std::byte* to, std::size_t bytes) {
    if (bytes == 0 || from == to) return;
    if (bytes < longerThanCaches) {
        std::memcpy(to, from, bytes);
        return;
    }
    constexpr std::size_t page = 4096;
    for (std::size_t at = 0; at < bytes; at += page) {
        const std::size_t some = std::min(page, bytes - at), next = std::min(page, bytes - at - some);
        foresee(from + at + some, next);
        writePast(from + at, to + at, some);
    }
    endOfWritingPast();
}

void reduceTo(std::span<const std::byte* const> sources, std::span<std::byte* const> results, std::size_t count,
              DType type, ReduceOp op) {
    const std::size_t size = sizeOf(type);
    const bool past = count * size >= longerThanCaches && results.size() == 1 && !among(sources, results[0]);
    alignas(64) float first[stretch], second[stretch];
    for (std::size_t at = 0; at < count; at += stretch) {
        const std::size_t some = std::min(stretch, count - at), next = std::min(stretch, count - at - some);
        for (const std::byte* source : sources) foresee(source + (at + some) * size, next * size);
        const float* reduced = widened(sources[0] + at * size, type, some, first);
        for (std::size_t k = 1; k < sources.size(); ++k) {
            const float* other = widened(sources[k] + at * size, type, some, second);
            (op == ReduceOp::Sum ? sum : larger)(some, reduced, other, first);
            reduced = first;
        }
        std::byte* const to = results[0] + at * size;
        if (past && type == DType::F32) writePast(reinterpret_cast<const std::byte*>(reduced), to, some * size);
        else if (static_cast<const void*>(reduced) != to) narrow(reduced, some, to, type);
        for (std::size_t k = 1; k < results.size(); ++k) std::memcpy(results[k] + at * size, to, some * size);
    }
    if (past) endOfWritingPast();
}

void reduceInRankOrder(int rank, ConstArraySpan own, const Contributions& others, ArraySpan result, ReduceOp op) {
    std::vector<const std::byte*> sources;
    for (std::size_t k = 0; k < others.size(); ++k)
        sources.push_back(static_cast<int>(k) == rank ? own.bytes().data() : others[k].data());
    std::byte* const to = result.bytes().data();
    reduceTo(sources, std::span(&to, 1), own.size(), own.type(), op);
}

void add(std::span<const std::byte> from, ArraySpan into) {
    std::byte* const place = into.bytes().data();
    const std::array<const std::byte*, 2> sources{place, from.data()};
    reduceTo(sources, std::span(&place, 1), into.size(), into.type(), ReduceOp::Sum);
}

}  // namespace shardlab::train
