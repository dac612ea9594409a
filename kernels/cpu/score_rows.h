// SPDX-License-Identifier: Apache-2.0
// Rules of scores (kernels/attention_scores.h), row by row, and the cap alone, which logits may have too.
#pragma once

#include "kernels/attention_scores.h"

namespace shardlab::kernels::cpu {

/// values := cap·tanh(values ÷ cap).
void capRow(int count, float cap, float* values);

/// values as capRow, and gradient := (gradient − product)·(1 − tanh²(values ÷ cap)).
void capRowWithGradient(int count, float cap, float product, float* values, float* gradient);

/// values −= slope·(distance, distance − 1, …).
void lowerRow(int count, float slope, int distance, float* values);

/// gradient *= 1 − (capped ÷ cap)².
void multiplyByCapSlope(int count, float cap, const float* capped, float* gradient);

/// What one head does to its scores.
struct HeadRule {
    HeadRule(const ScoreRule& rule, int head);

    float cap;    ///< 0: scores have none
    float slope;  ///< 0: scores do not fall
};

/// The score of a head's sink; where there is none, one so low that it counts for nothing.
float sinkOf(const HeadSinks& sinks, int head);

}  // namespace shardlab::kernels::cpu
