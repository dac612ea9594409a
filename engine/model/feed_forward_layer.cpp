// SPDX-License-Identifier: Apache-2.0
#include "engine/model/feed_forward_layer.h"

#include "kernels/bias.h"
#include "kernels/gelu.h"

namespace shardlab {

namespace {

struct State : LayerState {
    Buffer input;
    Buffer statistics;
    Buffer normed;
    Buffer expanded;  ///< before GELU; its gradient after inputGrad
    Buffer activated;
    Buffer outputGradient;
    Buffer normedGradient;
};

}  // namespace

FeedForwardLayer::FeedForwardLayer(ParameterSet& set, Arena& arena, const std::string& block, int tokens, int hidden,
                                   int width, double projectionDeviation)
    : arena_(arena),
      tokens_(tokens),
      hidden_(hidden),
      width_(width),
      norm_(set, block + ".ln_2", hidden),
      expansion_(set, block + ".mlp.c_fc", hidden, width, 0.02),
      projection_(set, block + ".mlp.c_proj", width, hidden, projectionDeviation) {}

std::unique_ptr<LayerState> FeedForwardLayer::newState() const { return std::make_unique<State>(); }

Buffer FeedForwardLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const auto allocate = [&](std::size_t floats) { return arena_.allocate(MemoryCategory::Activations, floats); };
    const std::size_t n = static_cast<std::size_t>(tokens_);
    const std::size_t h = static_cast<std::size_t>(hidden_);
    const std::size_t f = static_cast<std::size_t>(width_);

    held.input = std::move(input);
    held.statistics = allocate(2 * n);
    held.normed = allocate(n * h);
    norm_.forward(tokens_, held.input.data(), held.statistics.data(), held.normed.data());

    held.expanded = allocate(n * f);
    held.activated = allocate(n * f);
    expansion_.multiply(tokens_, held.normed.data(), held.expanded.data());
    biasGelu(tokens_, width_, expansion_.bias(), held.expanded.data(), held.activated.data());

    Buffer output = allocate(n * h);
    projection_.multiply(tokens_, held.activated.data(), output.data());
    addBiasAndResidual(tokens_, hidden_, projection_.bias(), held.input.data(), output.data());
    return output;
}

Buffer FeedForwardLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const std::size_t size = held.input.size();
    held.outputGradient = std::move(outputGradient);
    {
        Buffer activatedGradient = arena_.allocate(MemoryCategory::Temporary, held.expanded.size());
        projection_.inputGrad(tokens_, held.outputGradient.data(), activatedGradient.data());
        geluGrad(static_cast<std::int64_t>(held.expanded.size()), activatedGradient.data(), held.expanded.data());
    }
    held.normedGradient = arena_.allocate(kept, size);
    expansion_.inputGrad(tokens_, held.expanded.data(), held.normedGradient.data());
    Buffer inputGradient = arena_.allocate(kept, size);
    norm_.inputGrad(tokens_, held.input.data(), held.statistics.data(), held.normedGradient.data(),
                    held.outputGradient.data(), inputGradient.data());
    return inputGradient;
}

void FeedForwardLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    projection_.weightGrad(tokens_, held.activated.data(), held.outputGradient.data());
    expansion_.weightGrad(tokens_, held.normed.data(), held.expanded.data());
    norm_.weightGrad(tokens_, held.input.data(), held.statistics.data(), held.normedGradient.data());
    held = {};
}

}  // namespace shardlab
