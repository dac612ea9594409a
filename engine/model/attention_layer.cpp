// SPDX-License-Identifier: Apache-2.0
#include "engine/model/attention_layer.h"

#include "kernels/bias.h"

namespace shardlab {

namespace {

struct State : LayerState {
    Buffer input;
    Buffer statistics;
    Buffer normed;
    Buffer qkv;  ///< its gradient after inputGrad
    Buffer probabilities;
    Buffer attended;
    Buffer outputGradient;
    Buffer normedGradient;
};

}  // namespace

AttentionLayer::AttentionLayer(ParameterSet& set, Arena& arena, const std::string& block, const AttentionShape& shape,
                               double projectionDeviation)
    : arena_(arena),
      shape_(shape),
      tokens_(shape.samples * shape.sequence),
      hidden_(shape.heads * shape.width),
      norm_(set, block + ".ln_1", hidden_),
      qkv_(set, block + ".attn.c_attn", hidden_, 3 * hidden_, 0.02),
      projection_(set, block + ".attn.c_proj", hidden_, hidden_, projectionDeviation) {}

std::unique_ptr<LayerState> AttentionLayer::newState() const { return std::make_unique<State>(); }

Buffer AttentionLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const auto allocate = [&](std::size_t floats) { return arena_.allocate(MemoryCategory::Activations, floats); };
    const std::size_t n = static_cast<std::size_t>(tokens_);
    const std::size_t h = static_cast<std::size_t>(hidden_);

    held.input = std::move(input);
    held.statistics = allocate(2 * n);
    held.normed = allocate(n * h);
    norm_.forward(tokens_, held.input.data(), held.statistics.data(), held.normed.data());

    held.qkv = allocate(3 * n * h);
    qkv_.multiply(tokens_, held.normed.data(), held.qkv.data());
    addBias(tokens_, 3 * hidden_, qkv_.bias(), held.qkv.data());

    held.probabilities = allocate(n * static_cast<std::size_t>(shape_.heads * shape_.sequence));
    held.attended = allocate(n * h);
    attention(shape_, held.qkv.data(), held.probabilities.data(), held.attended.data());

    Buffer output = allocate(n * h);
    projection_.multiply(tokens_, held.attended.data(), output.data());
    addBiasAndResidual(tokens_, hidden_, projection_.bias(), held.input.data(), output.data());
    return output;
}

Buffer AttentionLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const std::size_t size = held.input.size();
    held.outputGradient = std::move(outputGradient);
    {
        Buffer attendedGradient = arena_.allocate(MemoryCategory::Temporary, size);
        projection_.inputGrad(tokens_, held.outputGradient.data(), attendedGradient.data());
        Buffer scratch = arena_.allocate(MemoryCategory::Temporary, attentionScratch(shape_));
        attentionGrad(shape_, held.probabilities.data(), attendedGradient.data(), held.qkv.data(), scratch.data());
        held.probabilities = {};
    }
    held.normedGradient = arena_.allocate(kept, size);
    qkv_.inputGrad(tokens_, held.qkv.data(), held.normedGradient.data());
    Buffer inputGradient = arena_.allocate(kept, size);
    norm_.inputGrad(tokens_, held.input.data(), held.statistics.data(), held.normedGradient.data(),
                    held.outputGradient.data(), inputGradient.data());
    return inputGradient;
}

void AttentionLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    projection_.weightGrad(tokens_, held.attended.data(), held.outputGradient.data());
    qkv_.weightGrad(tokens_, held.normed.data(), held.qkv.data());
    norm_.weightGrad(tokens_, held.input.data(), held.statistics.data(), held.normedGradient.data());
    held = {};
}

}  // namespace shardlab
