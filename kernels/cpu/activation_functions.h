// SPDX-License-Identifier: Apache-2.0
// The functions of activation.h and their slopes, without branches, so that loops over them vectorise.
#pragma once

#include "kernels/cpu/vector.h"

namespace shardlab::kernels::cpu {

/// 1/(1 + e^(−x)).
SHARDLAB_INLINE float openShare(float x) { return 1.0f / (1.0f + expOf(-x)); }

/// x/2·(1 + tanh u) = x/(1 + e^(−2u)), u = √(2/π)·(x + 0.044715 x³).
struct GeluTanh {
    static constexpr float cubic = 0.044715f;
    static constexpr float twiceRoot = 2 * 0.79788456080286536f;
    static SHARDLAB_INLINE float share(float x) { return openShare(twiceRoot * (x + cubic * x * x * x)); }
    static SHARDLAB_INLINE float value(float x) { return x * share(x); }
    static SHARDLAB_INLINE float slope(float x) {
        const float open = share(x);
        return open + x * open * (1.0f - open) * (twiceRoot * (1.0f + 3.0f * cubic * x * x));
    }
};

struct Gelu {
    /// The normal distribution, off by at most 1e-7: 1 − Φ(x) = t·P(t)·e^(−x²/2) for x ≥ 0, t = 1/(1 + p·x/√2)
    /// (Abramowitz and Stegun 7.1.26). `density` becomes e^(−x²/2).
    static SHARDLAB_INLINE float distribution(float x, float& density) {
        const float size = __builtin_fabsf(x);
        density = expOf(-0.5f * x * x);
        const float t = 1.0f / (1.0f + 0.3275911f * 0.70710678f * size);
        const float polynomial =
            t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
        const float above = 0.5f * polynomial * density;
        return x < 0 ? above : 1.0f - above;
    }
    static SHARDLAB_INLINE float value(float x) {
        float density;
        return x * distribution(x, density);
    }
    static SHARDLAB_INLINE float slope(float x) {
        constexpr float inverseRoot = 0.39894228f;  // 1/√(2π)
        float density;
        const float below = distribution(x, density);
        return below + x * density * inverseRoot;
    }
};

struct Silu {
    static SHARDLAB_INLINE float value(float x) { return x * openShare(x); }
    static SHARDLAB_INLINE float slope(float x) {
        const float open = openShare(x);
        return open + x * open * (1.0f - open);
    }
};

struct SquaredRelu {
    static SHARDLAB_INLINE float value(float x) { return x < 0 ? 0.0f : x * x; }
    static SHARDLAB_INLINE float slope(float x) { return x < 0 ? 0.0f : 2.0f * x; }
};

/// A gate that multiplies a value as it is: `factor` is what a value is multiplied as, `factorSlope` its slope.
template <class F>
struct Gate : F {
    static SHARDLAB_INLINE float factor(float value) { return value; }
    static SHARDLAB_INLINE float factorSlope(float) { return 1.0f; }
};

/// GateFunction with a limit.
struct ClampedGate {
    float limit;
    float alpha;
    SHARDLAB_INLINE float below(float x) const { return x > limit ? limit : x; }
    SHARDLAB_INLINE float value(float x) const {
        const float gate = below(x);
        return gate * openShare(alpha * gate);
    }
    SHARDLAB_INLINE float slope(float x) const {
        const float gate = below(x), open = openShare(alpha * gate);
        return x > limit ? 0.0f : open + alpha * gate * open * (1.0f - open);
    }
    SHARDLAB_INLINE float factor(float value) const {
        const float high = below(value);
        return (high < -limit ? -limit : high) + 1.0f;
    }
    SHARDLAB_INLINE float factorSlope(float value) const { return __builtin_fabsf(value) > limit ? 0.0f : 1.0f; }
};

}  // namespace shardlab::kernels::cpu
