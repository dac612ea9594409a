// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/grouped_attention_layer.h"

#include "engine/base/ranges.h"
#include "engine/layout/context_split.h"

namespace shardlab::train {

namespace {

RotaryShape rotaryShape(const LayerContext& context, const AttentionShape& attention, int keyHeads, double base) {
    const int members = context.context ? context.context->size() : 1;
    const int member = context.context ? context.context->member() : 0;
    const auto runs = contextRuns(context.sequence * members, members, member);
    return {attention.samples, attention.sequence,
            attention.heads,   rangeSize(keyHeads, context.tensor.size(), context.tensor.member()),
            attention.width,   base,
            runs[0].first,     runs[0].count,
            runs[1].first};
}

}  // namespace

struct GroupedAttentionLayer::State : LayerState {
    Buffer statistics;
    Buffer normed;
    Buffer joined;  ///< queries, keys and values; their gradient after inputGrad
    Buffer kept;    ///< by the core, for its gradient
    Buffer attended;
    Buffer branchGradient;
    Buffer normedGradient;

    void visitSavedBuffers(const KeptVisitor& visit) override {
        for (Buffer* each : {&input, &statistics, &normed, &joined, &kept, &attended}) visit(*each);
    }
};

GroupedAttentionLayer::GroupedAttentionLayer(const LayerContext& context, const std::string& block, int heads,
                                             int keyHeads, double base, double projectionDeviation)
    : context_(context), core_(context, block + ".attn", heads),
      rotary_(rotaryShape(context, core_.shape(), keyHeads, base)), norm_(context, block + ".ln_1"),
      qkv_(context, block + ".attn.qkv", context.hidden, (heads + 2 * keyHeads) * (context.hidden / heads), 0.02,
           LinearCut::Columns),
      residual_(context, block + ".attn.c_proj", context.hidden, projectionDeviation) {}

std::unique_ptr<LayerState> GroupedAttentionLayer::newState() const { return std::make_unique<State>(); }

Buffer GroupedAttentionLayer::apart(const State& held) const {
    const std::size_t columns = static_cast<std::size_t>(rotary_.apartColumns());
    Buffer apart = context_.allocate(MemoryCategory::Temporary, static_cast<std::size_t>(context_.tokens()) * columns);
    context_.device().rotary(rotary_, held.joined.data(), apart.data());
    return apart;
}

Buffer GroupedAttentionLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const auto allocate = [&](std::size_t elements) {
        return context_.allocate(MemoryCategory::Activations, elements);
    };
    const int tokens = context_.tokens();
    const int ownTokens = context_.ownTokens();
    const std::size_t n = static_cast<std::size_t>(tokens);

    held.input = std::move(input);
    held.statistics = context_.arena.allocate(MemoryCategory::Activations, norm_.statistics(ownTokens));
    held.normed = allocate(context_.ownSize());
    norm_.forward(ownTokens, held.input.data(), held.statistics.floats(), held.normed.data());

    held.joined = allocate(n * static_cast<std::size_t>(qkv_.outputs()));
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        qkv_.forward(tokens, normed.data(), held.joined.data());
    }
    held.attended = allocate(n * static_cast<std::size_t>(residual_.projection().inputs()));
    held.kept = core_.forward(held, apart(held), held.attended);
    if (context_.recompute.core) held.kept = {};
    return residual_.forward(held, held.attended, held.input);
}

void GroupedAttentionLayer::attentionGrad(State& held, const Buffer& branchGradient) const {
    Buffer read = apart(held);
    if (context_.recompute.core) context_.recompute.run([&] { held.kept = core_.forward(held, read, held.attended); });
    const Buffer attendedGradient = context_.allocate(MemoryCategory::Temporary, held.attended.size());
    residual_.projection().inputGrad(context_.tokens(), branchGradient.data(), attendedGradient.data());
    const Buffer gradient =
        core_.backward(held, std::move(read), std::move(held.kept), held.attended, attendedGradient);
    context_.device().rotaryGrad(rotary_, gradient.data(), held.joined.data());
}

Buffer GroupedAttentionLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    ResidualGradient gradient = residual_.inputGrad(held, std::move(outputGradient), kept);
    attentionGrad(held, gradient.branch);
    held.normedGradient = context_.tensor.sum(context_.allSize(), context_.types.activations, kept, [&](Array partial) {
        qkv_.inputGrad(tokens, held.joined.data(), partial);
    });
    Buffer inputGradient = context_.allocate(kept, held.input.size());
    norm_.inputGrad(context_.ownTokens(), held.input.data(), held.statistics.floats(), held.normedGradient.data(),
                    gradient.aroundData(), inputGradient.data());
    held.branchGradient = std::move(gradient.branch);
    return inputGradient;
}

void GroupedAttentionLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    residual_.projection().weightGrad(tokens, held.attended.data(), held.branchGradient.data());
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        qkv_.weightGrad(tokens, normed.data(), held.joined.data());
    }
    norm_.weightGrad(context_.ownTokens(), held.input.data(), held.statistics.floats(), held.normedGradient.data());
    held = {};
}

}  // namespace shardlab::train
