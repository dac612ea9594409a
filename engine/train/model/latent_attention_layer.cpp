// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/latent_attention_layer.h"

#include "engine/train/model/rotary_positions.h"

namespace shardlab::train {

namespace {

LatentShape latentShape(const LayerContext& context, const AttentionShape& attention, const LatentSpec& spec) {
    LatentShape shape{attention.samples, attention.sequence, attention.heads, spec.plain,
                      spec.turned,       spec.values,        spec.angles};
    setPositions(context, shape);
    return shape;
}

/// No product of a latent attention has a bias.
LayerContext withoutBiases(LayerContext context) {
    context.parts.biases = false;
    return context;
}

}  // namespace

struct LatentAttentionLayer::State : BranchState {
    Latent queryLatent;  ///< empty where there is no query rank
    Latent keyLatent;
    Buffer sharedKey;    ///< κ, which is not turned
    Buffer queries;      ///< their gradient after inputGrad
    Buffer expanded;     ///< keys and values; their gradient after inputGrad
    AttentionKept kept;  ///< by the core, for its gradient
    Buffer attended;
    Buffer sinkGradient;  ///< of the heads of this member
    Buffer downGradient;

    void visitSavedBuffers(const KeptVisitor& visit) override {
        BranchState::visitSavedBuffers(visit);
        for (Latent* latent : {&queryLatent, &keyLatent})
            for (Buffer* each : {&latent->value, &latent->statistics, &latent->normed}) visit(*each);
        for (Buffer* each : {&sharedKey, &queries, &expanded, &attended}) visit(*each);
        kept.visit(visit);
    }
};

LatentAttentionLayer::LatentAttentionLayer(const LayerContext& context, const std::string& block,
                                           const LatentSpec& spec)
    : context_(withoutBiases(context)), spec_(spec),
      core_(context_, block + ".attn", spec.heads, spec.plain + spec.turned, spec.window),
      shape_(latentShape(context_, core_.shape(), spec)), norm_(context_, block + ".ln_1"),
      down_(context_, block + ".attn.down", context_.hidden, downColumns(), 0.02, LinearCut::Whole),
      queryNorm_(spec.queryRank > 0
                     ? std::optional(Norm(context_, block + ".attn.q_norm", spec.queryRank, /*rms=*/true))
                     : std::nullopt),
      queries_(context_, block + ".attn.q", spec.queryRank > 0 ? spec.queryRank : context_.hidden,
               spec.heads * (spec.plain + spec.turned), 0.02, LinearCut::Columns,
               LinearRuns{.together = spec.plain + spec.turned}),
      keyNorm_(context_, block + ".attn.kv_norm", spec.keyRank, /*rms=*/true),
      expansion_(context_, block + ".attn.kv", spec.keyRank, spec.heads * (spec.plain + spec.values), 0.02,
                 LinearCut::Columns, LinearRuns{.together = spec.plain + spec.values}),
      sinks_(context_, block + ".attn", spec.heads),
      residual_(context_, block + ".attn.c_proj", spec.heads * spec.values, spec.projectionDeviation, spec.values) {}

std::unique_ptr<LayerState> LatentAttentionLayer::newState() const { return std::make_unique<State>(); }

void LatentAttentionLayer::takeLatent(const Buffer& down, int first, const Norm& norm, int rank, Latent& latent) const {
    const int tokens = context_.ownTokens();
    latent.value = context_.allocate(MemoryCategory::Activations, times(tokens, rank));
    context_.device().copyColumns(tokens, rank, down.data() + first, downColumns(), latent.value.data(), rank);
    latent.statistics = context_.arena.allocate(MemoryCategory::Activations, norm.statistics(tokens));
    latent.normed = context_.allocate(MemoryCategory::Activations, latent.value.size());
    norm.forward(tokens, latent.value.data(), latent.statistics.floats(), latent.normed.data());
}

void LatentAttentionLayer::makeLatents(State& held) const {
    const int tokens = context_.ownTokens(), turned = spec_.turned;
    const Buffer down = context_.allocate(MemoryCategory::Temporary, times(tokens, downColumns()));
    down_.forward(tokens, held.normed.data(), down.data());
    if (queryNorm_) takeLatent(down, 0, *queryNorm_, spec_.queryRank, held.queryLatent);
    takeLatent(down, spec_.queryRank, keyNorm_, spec_.keyRank, held.keyLatent);
    held.sharedKey = context_.allocate(MemoryCategory::Activations, times(tokens, turned));
    context_.device().copyColumns(tokens, turned, down.data() + (spec_.queryRank + spec_.keyRank), downColumns(),
                                  held.sharedKey.data(), turned);
}

void LatentAttentionLayer::roomForHeads(State& held) const {
    const int tokens = context_.tokens();
    held.queries = context_.allocate(MemoryCategory::Activations, times(tokens, queries_.outputs()));
    held.expanded = context_.allocate(MemoryCategory::Activations, times(tokens, expansion_.outputs()));
}

void LatentAttentionLayer::makeHeads(State& held) const {
    const int tokens = context_.tokens();
    held.queries = context_.allocate(MemoryCategory::Activations, times(tokens, queries_.outputs()));
    {
        const AllTokens from =
            context_.tensor.gather(queryNorm_ ? held.queryLatent.normed : held.normed, MemoryCategory::Temporary);
        queries_.forward(tokens, from.data(), held.queries.data());
    }
    held.expanded = context_.allocate(MemoryCategory::Activations, times(tokens, expansion_.outputs()));
    const AllTokens latent = context_.tensor.gather(held.keyLatent.normed, MemoryCategory::Temporary);
    expansion_.forward(tokens, latent.data(), held.expanded.data());
}

Buffer LatentAttentionLayer::roomApart() const {
    return context_.allocate(MemoryCategory::Temporary, times(context_.tokens(), shape_.apartColumns()));
}

Buffer LatentAttentionLayer::apart(const State& held) const {
    Buffer apart = roomApart();
    const AllTokens sharedKey = context_.tensor.gather(held.sharedKey, MemoryCategory::Temporary);
    context_.device().latentHeads(shape_, held.queries.data(), held.expanded.data(), sharedKey.data(), apart.data());
    return apart;
}

AttentionKept LatentAttentionLayer::attend(State& held, const Buffer& apart) const {
    const HeadSinks sinks = sinks_.with(held.sinkGradient);
    if (shape_.values == shape_.width()) return core_.forward(held, apart, held.attended, sinks);
    const Buffer wide = context_.allocate(MemoryCategory::Temporary, times(context_.tokens(), shape_.queryColumns()));
    AttentionKept kept = core_.forward(held, apart, wide, sinks);
    context_.device().copyColumns(std::int64_t{context_.tokens()} * shape_.heads, shape_.values, wide.data(),
                                  shape_.width(), held.attended.data(), shape_.values);
    return kept;
}

Buffer LatentAttentionLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    norm_.forward(held, std::move(input));
    makeLatents(held);
    makeHeads(held);
    held.attended =
        context_.allocate(MemoryCategory::Activations, times(context_.tokens(), residual_.projection().inputs()));
    held.kept = attend(held, apart(held));
    if (context_.recompute.core) held.kept = {};
    if (context_.recompute.heads || core_.keepsOperands()) {
        held.queries = {};
        held.expanded = {};
    }
    if (context_.recompute.heads) held.kept.operands = {};
    return makeOutput(held);
}

void LatentAttentionLayer::dropPointwise(LayerState& state, Pointwise parts) const {
    if (parts.norms) static_cast<State&>(state).normed = {};
}

void LatentAttentionLayer::makePointwise(LayerState& state, Pointwise parts) const {
    if (parts.norms) norm_.again(static_cast<State&>(state));
}

Buffer LatentAttentionLayer::makeOutput(const LayerState& state) const {
    return residual_.forward(state, static_cast<const State&>(state).attended, state.input);
}

Buffer LatentAttentionLayer::widened(const Buffer& narrow) const {
    Buffer wide = context_.arena.allocateZeroed(
        MemoryCategory::Temporary, times(context_.tokens(), shape_.queryColumns()), context_.types.activations);
    context_.device().copyColumns(std::int64_t{context_.tokens()} * shape_.heads, shape_.values, narrow.data(),
                                  shape_.values, wide.data(), shape_.width());
    return wide;
}

Buffer LatentAttentionLayer::coreGrad(State& held, const Buffer& branchGradient, MemoryCategory kept) const {
    held.sinkGradient = sinks_.roomForGradient(core_.shape().heads, kept);
    if (core_.keepsOperands()) roomForHeads(held);
    else if (context_.recompute.heads) context_.recompute.run([&] { makeHeads(held); });
    Buffer read = core_.keepsOperands() ? roomApart() : apart(held);
    if (context_.recompute.core) context_.recompute.run([&] { held.kept = attend(held, read); });
    else if (context_.recompute.heads) core_.makeOperands(read, held.kept);
    Buffer gradient = context_.allocate(MemoryCategory::Temporary, held.attended.size());
    residual_.projection().inputGrad(context_.tokens(), branchGradient.data(), gradient.data());
    const HeadSinks sinks = sinks_.with(held.sinkGradient);
    if (shape_.values == shape_.width())
        return core_.backward(held, std::move(read), std::move(held.kept), held.attended, gradient, sinks);
    gradient = widened(gradient);
    const Buffer attended = widened(held.attended);
    return core_.backward(held, std::move(read), std::move(held.kept), attended, gradient, sinks);
}

Buffer LatentAttentionLayer::sumInputGrad(const Linear& product, const Buffer& outputGradient,
                                          MemoryCategory kept) const {
    return context_.tensor.sum(
        times(context_.tokens(), product.inputs()), context_.types.activations, kept,
        [&](Array partial) { product.inputGrad(context_.tokens(), outputGradient.data(), partial); });
}

void LatentAttentionLayer::latentGrad(const Latent& latent, const Norm& norm, int first,
                                      const Buffer& downGradient) const {
    const int tokens = context_.ownTokens(), rank = static_cast<int>(latent.value.size()) / tokens;
    const Buffer gradient = context_.allocate(MemoryCategory::Temporary, latent.value.size());
    norm.inputGrad(tokens, latent.value.data(), latent.statistics.floats(), latent.gradient.data(), {},
                   gradient.data());
    context_.device().copyColumns(tokens, rank, gradient.data(), rank, downGradient.data() + first, downColumns());
}

Buffer LatentAttentionLayer::normedGrad(const State& held, MemoryCategory kept) const {
    const int tokens = context_.ownTokens();
    if (!queryNorm_) {
        Buffer gradient = sumInputGrad(queries_, held.queries, kept);
        down_.addInputGrad(tokens, held.downGradient.data(), gradient.data());
        return gradient;
    }
    Buffer gradient = context_.allocate(kept, context_.ownSize());
    down_.inputGrad(tokens, held.downGradient.data(), gradient.data());
    return gradient;
}

Buffer LatentAttentionLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.ownTokens(), turned = spec_.turned;
    ResidualGradient gradient = residual_.inputGrad(held, std::move(outputGradient), kept);
    Buffer sharedKeyGradient;
    {
        const Buffer apartGradient = coreGrad(held, gradient.branch, kept);
        sharedKeyGradient =
            context_.tensor.sum(times(context_.tokens(), turned), context_.types.activations, MemoryCategory::Temporary,
                                [&](Array partial) {
                                    context_.device().latentHeadsGrad(shape_, apartGradient.data(), held.queries.data(),
                                                                      held.expanded.data(), partial);
                                });
    }
    if (queryNorm_) held.queryLatent.gradient = sumInputGrad(queries_, held.queries, kept);
    held.keyLatent.gradient = sumInputGrad(expansion_, held.expanded, kept);
    held.downGradient = context_.allocate(kept, times(tokens, downColumns()));
    if (queryNorm_) latentGrad(held.queryLatent, *queryNorm_, 0, held.downGradient);
    latentGrad(held.keyLatent, keyNorm_, spec_.queryRank, held.downGradient);
    context_.device().copyColumns(tokens, turned, sharedKeyGradient.data(), turned,
                                  held.downGradient.data() + (spec_.queryRank + spec_.keyRank), downColumns());
    sharedKeyGradient = {};

    held.normedGradient = normedGrad(held, kept);
    Buffer inputGradient = norm_.inputGrad(held, gradient.aroundData(), kept);
    held.branchGradient = std::move(gradient.branch);
    return inputGradient;
}

void LatentAttentionLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens(), ownTokens = context_.ownTokens();
    residual_.weightGrad(held, held.attended);
    {
        const AllTokens from =
            context_.tensor.gather(queryNorm_ ? held.queryLatent.normed : held.normed, MemoryCategory::Temporary);
        queries_.weightGrad(tokens, from.data(), held.queries.data());
    }
    {
        const AllTokens latent = context_.tensor.gather(held.keyLatent.normed, MemoryCategory::Temporary);
        expansion_.weightGrad(tokens, latent.data(), held.expanded.data());
    }
    const auto normGrad = [&](const Norm& norm, const Latent& latent) {
        norm.weightGrad(ownTokens, latent.value.data(), latent.statistics.floats(), latent.gradient.data());
    };
    sinks_.addGradient(held.sinkGradient);
    if (queryNorm_) normGrad(*queryNorm_, held.queryLatent);
    normGrad(keyNorm_, held.keyLatent);
    down_.weightGrad(ownTokens, held.normed.data(), held.downGradient.data());
    norm_.weightGrad(held);
    held = {};
}

}  // namespace shardlab::train
