// SPDX-License-Identifier: Apache-2.0
// Tokens to activations: the bottom of a model's first stage.
#pragma once

#include "engine/model/arena.h"
#include "engine/model/parameter_set.h"
#include "kernels/embedding.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardlab {

/// Memory in floats: the output N·h (Activations) belongs to the next layer. Until weightGrad: outputGradient N·h as it
/// came, and the microbatch's tokens, 4 bytes each, outside the arena.
class EmbeddingLayer {
public:
    struct State {
        std::vector<std::int32_t> tokens;
        Buffer outputGradient;
    };

    /// Weights: "wte.weight" [vocabulary, hidden], "wpe.weight" [sequence, hidden].
    EmbeddingLayer(ParameterSet& set, Arena& arena, const EmbeddingShape& shape, int vocabulary);

    Buffer forward(State& state, std::span<const std::int32_t> tokens);
    /// Nothing is below: only keeps the gradient.
    void inputGrad(State& state, Buffer outputGradient);
    void weightGrad(State& state);

private:
    Arena& arena_;
    EmbeddingShape shape_;
    Weight tokens_;
    Weight positions_;
};

}  // namespace shardlab
