// SPDX-License-Identifier: Apache-2.0
// What one head does to its scores (kernels/attention_scores.h).
#pragma once

#include "kernels/attention_scores.h"

#include <cmath>

namespace shardlab::kernels::cuda {

/// tanh x, off by a few 1e-7 of itself: by its series near 0, else 1 − 2/(1 + e^(2x)).
__device__ inline float tanhOf(float x) {
    const float square = x * x;
    float series = 0.0035921280f;
    series = series * square - 0.0088632358f;
    series = series * square + 0.0218694885f;
    series = series * square - 0.0539682540f;
    series = series * square + 0.1333333333f;
    series = series * square - 0.3333333333f;
    const float large = 1.0f - 2.0f / (1.0f + expf(2.0f * x));
    return square < 0.1225f ? x + x * square * series : large;
}

/// Kernels of scores that nothing changes are made apart (`ruled` false), so that they have registers for other things.
template <bool ruled>
struct HeadRule {
    float cap;
    float slope;

    __device__ inline HeadRule(const ScoreRule& rule, int head)
        : cap(rule.cap), slope(rule.slopes.heads > 0 ? exp2f(rule.slopes.power(head)) : 0.0f) {}

    __device__ inline bool changes() const { return ruled && (cap > 0 || slope > 0); }
    __device__ inline bool caps() const { return ruled && cap > 0; }
    /// The score of a key so many positions before its query.
    __device__ inline float operator()(float score, int distance) const {
        if (caps()) score = cap * tanhOf(score / cap);
        return score - slope * static_cast<float>(distance);
    }
    /// The derivative of that, from its result.
    __device__ inline float derivative(float result, int distance) const {
        if (!caps()) return 1;
        const float share = (result + slope * static_cast<float>(distance)) / cap;
        return 1 - share * share;
    }
    /// The same, from the probability that the score has among those with the sum of exponentials e^logSum.
    __device__ inline float derivativeAt(float probability, float logSum, int distance) const {
        return probability > 0 ? derivative(logf(probability) + logSum, distance) : 0.0f;
    }
};

/// ln(e^logSum + e^sink).
__device__ inline float withSink(float logSum, float sink) {
    return fmaxf(logSum, sink) + log1pf(expf(-fabsf(logSum - sink)));
}

}  // namespace shardlab::kernels::cuda
