// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/gradient_norm.h"

#include "kernels/elementwise.h"

#include <cmath>

namespace shardlab {

double squaredGradientNorm(std::span<const Parameter> parameters) {
    double sum = 0;
    for (const Parameter& parameter : parameters) {
        if (!parameter.owner) continue;
        sum += sumOfSquares(static_cast<std::int64_t>(parameter.gradient.size()), parameter.gradient.data());
    }
    return sum;
}

float clipScale(double squaredNorm, double clip) {
    const double norm = std::sqrt(squaredNorm);
    return clip > 0 && norm > clip ? static_cast<float>(clip / norm) : 1.0f;
}

}  // namespace shardlab
