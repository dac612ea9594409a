// SPDX-License-Identifier: Apache-2.0
#include "engine/model/output_head.h"

#include "kernels/cross_entropy.h"
#include "kernels/gemm.h"

namespace shardlab {

OutputHead::OutputHead(ParameterSet& set, Arena& arena, int tokens, int hidden, int vocabulary)
    : arena_(arena),
      tokens_(tokens),
      hidden_(hidden),
      vocabulary_(vocabulary),
      norm_(set, "ln_f", hidden),
      table_(set.declare("wte.weight", {vocabulary, hidden}, {0.02}, true)) {}

void OutputHead::project(State& state, Buffer input) {
    const std::size_t n = static_cast<std::size_t>(tokens_);
    state.input = std::move(input);
    state.statistics = arena_.allocate(MemoryCategory::Activations, 2 * n);
    state.normed = arena_.allocate(MemoryCategory::Activations, state.input.size());
    norm_.forward(tokens_, state.input.data(), state.statistics.data(), state.normed.data());
    state.logits = arena_.allocate(MemoryCategory::Activations, n * static_cast<std::size_t>(vocabulary_));
    gemm(tokens_, vocabulary_, hidden_, state.normed.data(), false, table_.value(), true, 0, state.logits.data());
}

double OutputHead::forward(State& state, Buffer input, std::span<const std::int32_t> targets) {
    project(state, std::move(input));
    return crossEntropyWithGradient(tokens_, vocabulary_, state.logits.data(), targets.data());
}

double OutputHead::evaluate(Buffer input, std::span<const std::int32_t> targets) {
    State state;
    project(state, std::move(input));
    return crossEntropy(tokens_, vocabulary_, state.logits.data(), targets.data());
}

Buffer OutputHead::inputGrad(State& state, float scale, MemoryCategory kept) {
    state.scale = scale;
    state.normedGradient = arena_.allocate(kept, state.input.size());
    gemm(tokens_, hidden_, vocabulary_, scale, {state.logits.data(), vocabulary_, false},
         {table_.value(), hidden_, false}, 0, state.normedGradient.data(), hidden_);
    Buffer inputGradient = arena_.allocate(kept, state.input.size());
    norm_.inputGrad(tokens_, state.input.data(), state.statistics.data(), state.normedGradient.data(), nullptr,
                    inputGradient.data());
    return inputGradient;
}

void OutputHead::weightGrad(State& state) {
    gemm(vocabulary_, hidden_, tokens_, state.scale, {state.logits.data(), vocabulary_, true},
         {state.normed.data(), hidden_, false}, 1, table_.gradient(), hidden_);
    norm_.weightGrad(tokens_, state.input.data(), state.statistics.data(), state.normedGradient.data());
    state = {};
}

}  // namespace shardlab
