// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/score_rows.h"

#include "kernels/cpu/floats.h"
#include "kernels/cpu/vector.h"

#include <cmath>

namespace shardlab::kernels::cpu {

namespace {

/// tanh x, off by a few 1e-7 of itself: by its series near 0, else 1 − 2/(1 + e^(2x)).
SHARDLAB_INLINE float tanhOf(float x) {
    const float square = x * x;
    float series = 0.0035921280f;
    series = series * square - 0.0088632358f;
    series = series * square + 0.0218694885f;
    series = series * square - 0.0539682540f;
    series = series * square + 0.1333333333f;
    series = series * square - 0.3333333333f;
    const float small = x + x * square * series;
    const float large = 1.0f - 2.0f / (1.0f + expOf(2.0f * x));
    return square < 0.1225f ? small : large;
}

}  // namespace

SHARDLAB_HOT void capRow(int count, float cap, float* values) {
    const float inverse = 1.0f / cap;
#pragma omp simd
    for (int j = 0; j < count; ++j) values[j] = cap * tanhOf(values[j] * inverse);
}

SHARDLAB_HOT void capRowWithGradient(int count, float cap, float product, float* __restrict values,
                                     float* __restrict gradient) {
    const float inverse = 1.0f / cap;
#pragma omp simd
    for (int j = 0; j < count; ++j) {
        const float share = tanhOf(values[j] * inverse);
        values[j] = cap * share;
        gradient[j] = (gradient[j] - product) * (1.0f - share * share);
    }
}

SHARDLAB_HOT void lowerRow(int count, float slope, int distance, float* values) {
#pragma omp simd
    for (int j = 0; j < count; ++j) values[j] -= slope * static_cast<float>(distance - j);
}

SHARDLAB_HOT void multiplyByCapSlope(int count, float cap, const float* __restrict capped, float* __restrict gradient) {
    const float inverse = 1.0f / cap;
#pragma omp simd
    for (int j = 0; j < count; ++j) {
        const float share = capped[j] * inverse;
        gradient[j] *= 1.0f - share * share;
    }
}

HeadRule::HeadRule(const ScoreRule& rule, int head)
    : cap(rule.cap), slope(rule.slopes.heads > 0 ? std::exp2(rule.slopes.power(head)) : 0.0f) {}

float sinkOf(const HeadSinks& sinks, int head) { return sinks ? *ConstFloats(sinks.scores + head, 1).data() : -1e30f; }

}  // namespace shardlab::kernels::cpu
