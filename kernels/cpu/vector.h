// SPDX-License-Identifier: Apache-2.0
// Helpers of the plain loops of the CPU kernels. One program serves every x86-64 machine: a function marked
// SHARDLAB_HOT is compiled for three instruction sets, and the loader picks one.
#pragma once

#include <cstdint>
#include <cstring>

// Sanitizers instrument the loader's choice and crash in it, before their own start.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define SHARDLAB_HOT __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define SHARDLAB_HOT
#endif

// A function marked so is inlined into each clone, and vectorised with the clone's instructions.
#define SHARDLAB_INLINE inline __attribute__((always_inline))

namespace shardlab::kernels::cpu {

/// e^x, with a relative error below 2e-7 for x in [−87, 88]; beyond, the value at the border. It has no branches and
/// vectorises.
SHARDLAB_INLINE float expOf(float x) {
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    const float n = __builtin_rintf(x * 1.44269504088896341f);
    // r = x − n·ln 2, with ln 2 in two parts, exact to fp32; |r| ≤ ln 2 / 2.
    float r = x - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    float p = 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    const std::int32_t bits = (static_cast<std::int32_t>(n) + 127) << 23;
    float power;
    std::memcpy(&power, &bits, sizeof power);
    return p * power;
}

}  // namespace shardlab::kernels::cpu
