// SPDX-License-Identifier: Apache-2.0
// The learning rate of each step.
#pragma once

#include "engine/layout/layout.h"

#include <algorithm>

namespace shardlab {

/// Rises linearly over spec.warmup steps to spec.learningRate and stays there. `step` counts from 1.
inline double learningRate(const OptimizerSpec& spec, int step) {
    if (spec.warmup == 0) return spec.learningRate;
    return spec.learningRate * std::min(1.0, static_cast<double>(step) / spec.warmup);
}

}  // namespace shardlab
