// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/core_speed.h"

#include "engine/base/clock.h"

#include <algorithm>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace shardlab::predict {
namespace {

constexpr int tries = 4;  ///< the best counts: others may have had the core

#if defined(__x86_64__)
/// AMD's family 19h with AVX-512 (Zen 4): each of its units takes half of a vector at a time.
bool halvesWideVectors() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __builtin_cpu_is("amd") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 &&
           ((eax >> 8) & 0xf) + ((eax >> 20) & 0xff) == 0x19;
}
#endif

/// fp32 operations a cycle: two units that multiply and add.
int flopsPerCycle() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return halvesWideVectors() ? 32 : 64;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 32;
    return 16;
#else
    return 16;
#endif
}

/// Operations of bf16 for one of fp32: vector units multiply twice as many numbers, tiles (AMX) sixteen times; 0: none.
int bf16PerFp32() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("amx-bf16")) return 16;
    return __builtin_cpu_supports("avx512bf16") ? 2 : 0;
#else
    return 0;
#endif
}

constexpr int additions = 2'000'000, batch = 20;  // few jumps, of which cores that share units have to share too

std::uint64_t add(std::uint64_t sum, std::uint64_t step) {
    for (int k = 0; k < additions / batch; ++k) {
#pragma GCC unroll 20
        for (int j = 0; j < batch; ++j) {
            sum += step;
            asm volatile("" : "+r"(sum));  // each by itself
        }
    }
    return sum;
}

#if defined(__x86_64__)
/// The additions while the widest units multiply and add, one vector for an addition: some processors' clocks are
/// slower then.
__attribute__((target("avx512f"))) std::uint64_t addBesideVectors(std::uint64_t sum, std::uint64_t step) {
    __m512 vectors[] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()};
    const __m512 one = _mm512_set1_ps(1.0f);
    for (int k = 0; k < additions / batch; ++k) {
#pragma GCC unroll 20
        for (int j = 0; j < batch; ++j) {
            sum += step;
            asm volatile("" : "+r"(sum));
            vectors[j % 4] = _mm512_fmadd_ps(one, one, vectors[j % 4]);
            asm volatile("" : "+v"(vectors[j % 4]));
        }
    }
    return sum;
}
#endif

/// Cycles per second: of additions that wait for each other each takes one.
double measureClock() {
    auto* chain = add;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) chain = addBesideVectors;
#endif
    double best = 0;
    for (int i = 0; i < tries; ++i) {
        const std::int64_t begin = monotonicNanoseconds();
        std::uint64_t sum = chain(1, static_cast<std::uint64_t>(i) + 3);
        asm volatile("" : "+r"(sum));
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
    return {flops, measureBandwidth(), bf16PerFp32() * flops};
}

}  // namespace shardlab::predict
