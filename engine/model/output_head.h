// SPDX-License-Identifier: Apache-2.0
// Final norm, projection onto the vocabulary by the token embedding, cross-entropy: the top of a model's last stage.
#pragma once

#include "engine/model/arena.h"
#include "engine/model/norm.h"
#include "engine/model/parameter_set.h"

#include <cstdint>
#include <span>

namespace shardlab {

/// Memory in floats, N = tokens, h hidden, V vocabulary:
///   forward keeps (Activations)  input N·h, statistics 2N, normed N·h, logits N·V (at once overwritten with the loss's
///                                gradient)
///   inputGrad                    normedGradient N·h and the returned gradient N·h (`kept`)
///   until weightGrad             normedGradient and all of forward's
///   evaluate                     as forward, freed on return
class OutputHead {
public:
    struct State {
        Buffer input;
        Buffer statistics;
        Buffer normed;
        Buffer logits;  ///< after forward: the gradient of the mean loss with respect to them
        Buffer normedGradient;
        float scale = 1;
    };

    /// Weights: "wte.weight" [vocabulary, hidden] (tied: the embedding's own where the stage has it), "ln_f".
    OutputHead(ParameterSet& set, Arena& arena, int tokens, int hidden, int vocabulary);

    /// Mean over tokens of −ln p(target), nats.
    double forward(State& state, Buffer input, std::span<const std::int32_t> targets);
    double evaluate(Buffer input, std::span<const std::int32_t> targets);
    /// Gradients of scale · loss; `kept` as in Layer::inputGrad.
    Buffer inputGrad(State& state, float scale, MemoryCategory kept);
    void weightGrad(State& state);

private:
    void project(State& state, Buffer input);

    Arena& arena_;
    int tokens_;
    int hidden_;
    int vocabulary_;
    Norm norm_;
    Weight table_;
};

}  // namespace shardlab
