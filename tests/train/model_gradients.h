// SPDX-License-Identifier: Apache-2.0
// What tests of layers and models share: weights away from their start, and gradients of a loss by finite differences.
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/parameter.h"
#include "tests/kernels/random_inputs.h"
#include "tests/kernels/reference.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace reference {

/// Weights away from their start, where nearly everything is linear.
inline Weights shake(std::span<shardlab::train::Parameter> parameters, RandomInputs& in) {
    Weights weights;
    for (shardlab::train::Parameter& parameter : parameters) {
        const auto noise = in.floats(parameter.value.size(), 0.4f);
        for (std::size_t i = 0; i < noise.size(); ++i) parameter.value.floats()[i] += noise[i];
        weights[parameter.name] = toDouble(parameter.value.floats());
    }
    return weights;
}

inline Values gradientOf(const std::function<double(const Weights&)>& loss, const Weights& weights,
                         const std::string& name) {
    Weights moved = weights;
    return numericGradient(
        [&](const Values& values) {
            moved[name] = values;
            return loss(moved);
        },
        weights.at(name));
}

inline shardlab::train::Buffer bufferOf(shardlab::train::Arena& arena, const std::vector<float>& values) {
    shardlab::train::Buffer buffer = arena.allocate(shardlab::base::MemoryCategory::Activations, values.size());
    std::ranges::copy(values, buffer.floats());
    return buffer;
}

}  // namespace reference
