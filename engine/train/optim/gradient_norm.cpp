// SPDX-License-Identifier: Apache-2.0
#include "engine/train/optim/gradient_norm.h"

#include <cmath>
#include <vector>

namespace shardlab::train {

double squaredGradientNorm(std::span<const Parameter> parameters, Device& device, GradientPart part) {
    std::vector<ArrayPart> parts;
    for (const Parameter& parameter : parameters)
        if (parameter.owner && !parameter.gradient.empty() &&
            (part == GradientPart::All || parameter.expert == (part == GradientPart::Experts)))
            parts.push_back({parameter.gradient.data(), static_cast<std::int64_t>(parameter.gradient.size())});
    return parts.empty() ? 0 : device.sumOfSquares(parts);
}

float clipScale(double squaredNorm, double clip) {
    const double norm = std::sqrt(squaredNorm);
    return clip > 0 && norm > clip ? static_cast<float>(clip / norm) : 1.0f;
}

}  // namespace shardlab::train
