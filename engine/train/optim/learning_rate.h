// SPDX-License-Identifier: Apache-2.0
// The learning rate of each update.
#pragma once

#include "engine/layout/layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace shardlab::train {

/// The rate rises linearly over spec.warmup updates to r = spec.learningRate. Then, by spec.schedule, it stays there or
/// falls to m = spec.minimum, which it reaches with the last of `updates`. With x from 0 at the end of the warm-up to
/// 1:
///   linear  m + (r − m)·(1 − x)
///   cosine  m + (r − m)·(1 + cos πx)/2   (1608.03983)
/// `update` counts from 1.
inline double learningRate(const OptimizerSpec& spec, int update, int updates) {
    const double r = spec.learningRate, m = spec.minimum;
    if (update <= spec.warmup) return r * update / spec.warmup;
    if (spec.schedule == RateSchedule::Constant) return r;
    const double x = std::min(1.0, static_cast<double>(update - spec.warmup) / std::max(1, updates - spec.warmup));
    if (spec.schedule == RateSchedule::Linear) return m + (r - m) * (1 - x);
    return m + (r - m) * (1 + std::cos(std::numbers::pi * x)) / 2;
}

}  // namespace shardlab::train
