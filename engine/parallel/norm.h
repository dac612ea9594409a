// SPDX-License-Identifier: Apache-2.0
// The norm of the whole model's gradient, whose parts lie on different ranks.
#pragma once

#include "engine/model/parameter.h"

#include <span>

namespace shardlab {

/// Σ g² over the parameters this stage owns (a tied one counts once, on its first stage), summed in double.
double squaredGradientNorm(std::span<const Parameter> parameters);

/// What every gradient is multiplied by so that the norm is at most `clip`: min(1, clip ÷ norm).
float clipScale(double norm, double clip);

}  // namespace shardlab
