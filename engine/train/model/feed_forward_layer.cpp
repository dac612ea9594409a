// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/feed_forward_layer.h"

namespace shardlab::train {

namespace {

struct State : BranchState {
    Buffer expanded;  ///< before the activation; its gradient after inputGrad
    Buffer activated;
    bool biasDone = false;  ///< inputGrad has added the gradient of the expansion's bias

    void visitSavedBuffers(const KeptVisitor& visit) override {
        BranchState::visitSavedBuffers(visit);
        for (Buffer* each : {&expanded, &activated}) visit(*each);
    }
};

}  // namespace

FeedForwardLayer::FeedForwardLayer(const LayerContext& context, const std::string& block, int width,
                                   double projectionDeviation)
    : context_(context), norm_(context, block + ".ln_2"), expansion_(context, block + ".mlp", width, Initial{0.02}),
      residual_(context, block + ".mlp.c_proj", width, projectionDeviation) {}

std::unique_ptr<LayerState> FeedForwardLayer::newState() const { return std::make_unique<State>(); }

Buffer FeedForwardLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const auto allocate = [&](std::size_t elements) {
        return context_.allocate(MemoryCategory::Activations, elements);
    };
    const int tokens = context_.tokens();
    norm_.forward(held, std::move(input));
    held.expanded = allocate(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(expansion_.columns()));
    held.activated = allocate(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(expansion_.width()));
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        expansion_.forward(tokens, normed.data(), held.expanded.data(), held.activated.data());
    }
    return residual_.forward(held, held.activated, held.input);
}

void FeedForwardLayer::dropPointwise(LayerState& state, Pointwise parts) const {
    auto& held = static_cast<State&>(state);
    if (parts.norms) held.normed = {};
    if (parts.activations) held.activated = {};
}

void FeedForwardLayer::makePointwise(LayerState& state, Pointwise parts) const {
    auto& held = static_cast<State&>(state);
    if (parts.norms) norm_.again(held);
    if (!parts.activations) return;
    const int tokens = context_.tokens();
    held.activated = context_.allocate(MemoryCategory::Activations,
                                       static_cast<std::size_t>(tokens) * static_cast<std::size_t>(expansion_.width()));
    expansion_.activate(tokens, held.expanded.data(), held.activated.data());
}

Buffer FeedForwardLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    ResidualGradient gradient = residual_.inputGrad(held, std::move(outputGradient), kept);
    {
        const Buffer scratch = context_.allocate(MemoryCategory::Temporary, held.activated.size());
        held.biasDone = expansion_.activationGrad(tokens, residual_.projection(), gradient.branch.data(),
                                                  held.expanded.data(), scratch.data(), {}, held.weightsToo);
    }
    held.normedGradient = context_.tensor.sum(context_.allSize(), context_.types.activations, kept, [&](Array partial) {
        expansion_.inputGrad(tokens, held.expanded.data(), partial);
    });
    Buffer inputGradient = norm_.inputGrad(held, gradient.aroundData(), kept);
    held.branchGradient = std::move(gradient.branch);
    return inputGradient;
}

void FeedForwardLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    residual_.weightGrad(held, held.activated);
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        expansion_.weightGrad(tokens, normed.data(), held.expanded.data(), !held.biasDone);
    }
    norm_.weightGrad(held);
    held = {};
}

}  // namespace shardlab::train
