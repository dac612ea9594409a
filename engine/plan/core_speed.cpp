// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/core_speed.h"

#include "engine/base/clock.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace shardlab {
namespace {

constexpr int tries = 4;  ///< the best counts: others may have had the core

/// fp32 operations a cycle: two units that multiply and add.
int flopsPerCycle() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return 64;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 32;
    return 16;
#else
    return 16;
#endif
}

/// Whether its units multiply twice as many numbers of bf16 as of fp32.
bool multipliesBf16() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bf16");
#else
    return false;
#endif
}

/// Cycles per second: of additions that wait for each other each takes one.
double measureClock() {
    constexpr int additions = 2'000'000, together = 20;  // few jumps, of which cores that share units have to share too
    double best = 0;
    for (int i = 0; i < tries; ++i) {
        std::uint64_t sum = 1, step = static_cast<std::uint64_t>(i) + 3;
        const std::int64_t begin = monotonicNanoseconds();
        for (int k = 0; k < additions / together; ++k) {
#pragma GCC unroll 20
            for (int j = 0; j < together; ++j) {
                sum += step;
                asm volatile("" : "+r"(sum));  // each by itself
            }
        }
        best = std::max(best, additions / toSeconds(monotonicNanoseconds() - begin));
    }
    return best;
}

double measureBandwidth() {
    constexpr std::size_t bytes = std::size_t{32} << 20;
    const std::vector<char> from(bytes, 1);
    std::vector<char> to(bytes, 2);
    double best = 0;
    for (int i = 0; i < tries; ++i) {
        const std::int64_t begin = monotonicNanoseconds();
        std::memcpy(to.data(), from.data(), bytes);
        asm volatile("" : : "r"(to.data()) : "memory");
        best = std::max(best, 2 * static_cast<double>(bytes) / toSeconds(monotonicNanoseconds() - begin));
    }
    return best;
}

}  // namespace

CoreSpeed measureCoreSpeed() {
    const double flops = measureClock() * flopsPerCycle();
    return {flops, measureBandwidth(), multipliesBf16() ? 2 * flops : 0};
}

}  // namespace shardlab
