// SPDX-License-Identifier: Apache-2.0
#include "engine/model/embedding_layer.h"

namespace shardlab {

EmbeddingLayer::EmbeddingLayer(ParameterSet& set, Arena& arena, const EmbeddingShape& shape, int vocabulary)
    : arena_(arena),
      shape_(shape),
      tokens_(set.declare("wte.weight", {vocabulary, shape.hidden}, {0.02}, true)),
      positions_(set.declare("wpe.weight", {shape.sequence, shape.hidden}, {0.02}, true)) {}

Buffer EmbeddingLayer::forward(State& state, std::span<const std::int32_t> tokens) {
    state.tokens.assign(tokens.begin(), tokens.end());
    const std::size_t hidden = static_cast<std::size_t>(shape_.hidden);
    Buffer output = arena_.allocate(MemoryCategory::Activations, tokens.size() * hidden);
    embed(shape_, state.tokens.data(), tokens_.value(), positions_.value(), output.data());
    return output;
}

void EmbeddingLayer::inputGrad(State& state, Buffer outputGradient) {
    state.outputGradient = std::move(outputGradient);
}

void EmbeddingLayer::weightGrad(State& state) {
    embedGrad(shape_, state.tokens.data(), state.outputGradient.data(), tokens_.gradient(), positions_.gradient());
    state.outputGradient = {};
}

}  // namespace shardlab
