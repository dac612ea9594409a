// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/attention_layer.h"

namespace shardlab::train {

struct AttentionLayer::State : LayerState {
    Buffer statistics;
    Buffer normed;
    Buffer qkv;   ///< its gradient after inputGrad
    Buffer kept;  ///< by the core, for its gradient
    Buffer attended;
    Buffer branchGradient;
    Buffer normedGradient;

    void visitSavedBuffers(const KeptVisitor& visit) override {
        for (Buffer* each : {&input, &statistics, &normed, &qkv, &kept, &attended}) visit(*each);
    }
};

AttentionLayer::AttentionLayer(const LayerContext& context, const std::string& block, int heads,
                               double projectionDeviation)
    : context_(context), core_(context, block + ".attn", heads), norm_(context, block + ".ln_1"),
      qkv_(context, block + ".attn.c_attn", context.hidden, 3 * context.hidden, 0.02, LinearCut::Columns, 3),
      residual_(context, block + ".attn.c_proj", context.hidden, projectionDeviation) {}

std::unique_ptr<LayerState> AttentionLayer::newState() const { return std::make_unique<State>(); }

Buffer AttentionLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const auto allocate = [&](std::size_t elements) {
        return context_.allocate(MemoryCategory::Activations, elements);
    };
    const int tokens = context_.tokens();
    const int ownTokens = context_.ownTokens();
    const std::size_t n = static_cast<std::size_t>(tokens);
    const std::size_t columns = static_cast<std::size_t>(qkv_.outputs());

    held.input = std::move(input);
    held.statistics = context_.arena.allocate(MemoryCategory::Activations, 2 * static_cast<std::size_t>(ownTokens));
    held.normed = allocate(context_.ownSize());
    norm_.forward(ownTokens, held.input.data(), held.statistics.floats(), held.normed.data());

    held.qkv = allocate(n * columns);
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        qkv_.forward(tokens, normed.data(), held.qkv.data());
    }
    held.attended = allocate(n * columns / 3);
    held.kept = core_.forward(held, held.qkv, held.attended);
    if (context_.recompute.core) held.kept = {};
    return residual_.forward(held, held.attended, held.input);
}

void AttentionLayer::attentionGrad(State& held, const Buffer& branchGradient) const {
    const Buffer attendedGradient = context_.allocate(MemoryCategory::Temporary, held.attended.size());
    residual_.projection().inputGrad(context_.tokens(), branchGradient.data(), attendedGradient.data());
    held.qkv = core_.backward(held, std::move(held.qkv), std::move(held.kept), held.attended, attendedGradient);
}

Buffer AttentionLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    ResidualGradient gradient = residual_.inputGrad(held, std::move(outputGradient), kept);
    if (context_.recompute.core)
        context_.recompute.run([&] { held.kept = core_.forward(held, held.qkv, held.attended); });
    attentionGrad(held, gradient.branch);
    held.normedGradient = context_.tensor.sum(context_.allSize(), context_.types.activations, kept,
                                              [&](Array partial) { qkv_.inputGrad(tokens, held.qkv.data(), partial); });
    Buffer inputGradient = context_.allocate(kept, held.input.size());
    norm_.inputGrad(context_.ownTokens(), held.input.data(), held.statistics.floats(), held.normedGradient.data(),
                    gradient.aroundData(), inputGradient.data());
    held.branchGradient = std::move(gradient.branch);
    return inputGradient;
}

void AttentionLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    residual_.projection().weightGrad(tokens, held.attended.data(), held.branchGradient.data());
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        qkv_.weightGrad(tokens, normed.data(), held.qkv.data());
    }
    norm_.weightGrad(context_.ownTokens(), held.input.data(), held.statistics.floats(), held.normedGradient.data());
    held = {};
}

}  // namespace shardlab::train
