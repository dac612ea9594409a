// SPDX-License-Identifier: Apache-2.0
#include "engine/parallel/norm.h"

#include <array>
#include <cstddef>

namespace shardlab {

namespace {

/// Eight sums side by side: one alone would wait for each addition before the next.
double squaredSum(std::span<const float> values) {
    std::array<double, 8> sums{};
    std::size_t i = 0;
    for (; i + sums.size() <= values.size(); i += sums.size())
        for (std::size_t k = 0; k < sums.size(); ++k) {
            const double value = values[i + k];
            sums[k] += value * value;
        }
    for (; i < values.size(); ++i) sums[0] += static_cast<double>(values[i]) * values[i];
    double sum = 0;
    for (double part : sums) sum += part;
    return sum;
}

}  // namespace

double squaredGradientNorm(std::span<const Parameter> parameters) {
    double sum = 0;
    for (const Parameter& parameter : parameters)
        if (parameter.owner) sum += squaredSum(parameter.gradient);
    return sum;
}

float clipScale(double norm, double clip) { return norm > clip ? static_cast<float>(clip / norm) : 1.0f; }

}  // namespace shardlab
