// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/attention_layer.h"

#include "engine/base/ranges.h"
#include "engine/train/model/rotary_positions.h"

namespace shardlab::train {

namespace {

std::optional<RotaryShape> rotaryShape(const LayerContext& context, const AttentionShape& attention,
                                       const AttentionSpec& spec) {
    if (!spec.rotary) return std::nullopt;
    const int keys =
        spec.shares(context.tensor) ? 1 : rangeSize(spec.keyHeads, context.tensor.size(), context.tensor.member());
    RotaryShape shape{attention.samples, attention.sequence, attention.heads, keys, attention.width, *spec.rotary};
    setPositions(context, shape);
    return shape;
}

std::optional<SharedKeys> sharedKeys(const LayerContext& context, int queries, const AttentionSpec& spec) {
    if (!spec.shares(context.tensor)) return std::nullopt;
    return std::optional<SharedKeys>(std::in_place, context, queries, spec.keyHeads, spec.width);
}

/// The columns of queries, keys and values.
LinearRuns joinedRuns(const TensorGroup& group, const AttentionSpec& spec) {
    if (!spec.rotary) return {3, spec.width};
    const int together = (spec.queriesOfKey() + 2) * spec.width;
    return spec.shares(group) ? LinearRuns{1, together, 2 * spec.width, spec.width} : LinearRuns{1, together};
}

}  // namespace

struct AttentionLayer::State : BranchState {
    Buffer joined;       ///< queries, keys and values; their gradient after inputGrad
    AttentionKept kept;  ///< by the core, for its gradient
    Buffer attended;
    Buffer headNormGradient;  ///< [2, width]: of the factors for queries, then for keys
    Buffer sinkGradient;      ///< of the heads of this member

    void visitSavedBuffers(const KeptVisitor& visit) override {
        BranchState::visitSavedBuffers(visit);
        for (Buffer* each : {&joined, &attended}) visit(*each);
        kept.visit(visit);
    }
};

AttentionLayer::AttentionLayer(const LayerContext& context, const std::string& block, const AttentionSpec& spec)
    : context_(context),
      core_(context, block + ".attn", spec.heads, spec.width, spec.window, spec.together(context.tensor)),
      rotary_(rotaryShape(context, core_.shape(), spec)),
      shared_(sharedKeys(context, core_.shape().heads * spec.width, spec)), norm_(context, block + ".ln_1"),
      qkv_(context, block + (rotary_ ? ".attn.qkv" : ".attn.c_attn"), context.hidden,
           (spec.heads + 2 * spec.keyHeads) * spec.width, Initial{0.02}, LinearCut::Columns, context.parts.qkvBias,
           joinedRuns(context.tensor, spec)),
      headNorms_(declareHeadNorms(context, block, spec.width)),
      sinks_(context, block + ".attn", spec.heads, spec.together(context.tensor)),
      residual_(context, block + ".attn.c_proj", spec.heads * spec.width, spec.projectionDeviation,
                spec.together(context.tensor) * spec.width) {}

std::optional<AttentionLayer::HeadWeights> AttentionLayer::declareHeadNorms(const LayerContext& context,
                                                                            const std::string& block, int width) {
    if (!context.parts.queryKeyNorms) return std::nullopt;
    const auto factors = [&](const char* name) { return context.set.declare(block + name, {width}, {0, 1}, false); };
    const Weight queries = factors(".attn.q_norm.weight");
    return HeadWeights{queries, factors(".attn.k_norm.weight")};
}

std::unique_ptr<LayerState> AttentionLayer::newState() const { return std::make_unique<State>(); }

HeadNorms AttentionLayer::headNorms() const {
    if (!headNorms_) return {};
    return {headNorms_->queries.value(), headNorms_->keys.value(), static_cast<float>(context_.parts.normEpsilon)};
}

Buffer AttentionLayer::roomApart() const {
    const std::size_t columns = static_cast<std::size_t>(rotary_->apartColumns());
    return context_.allocate(MemoryCategory::Temporary, static_cast<std::size_t>(context_.tokens()) * columns);
}

Buffer AttentionLayer::apart(const State& held) const {
    Buffer apart = roomApart();
    context_.device().rotary(*rotary_, held.joined.data(), headNorms(), apart.data());
    return apart;
}

Buffer AttentionLayer::roomJoined() const {
    const int columns = shared_ ? rotary_->joinedColumns() : qkv_.outputs();
    return context_.allocate(MemoryCategory::Activations,
                             static_cast<std::size_t>(context_.tokens()) * static_cast<std::size_t>(columns));
}

void AttentionLayer::project(const State& held) const {
    const Buffer made = shared_ ? shared_->roomForMade(MemoryCategory::Temporary) : Buffer{};
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        qkv_.forward(context_.tokens(), normed.data(), (shared_ ? made : held.joined).data());
    }
    if (shared_) shared_->gather(made, held.joined);
}

Buffer AttentionLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const auto allocate = [&](std::size_t elements) {
        return context_.allocate(MemoryCategory::Activations, elements);
    };
    const int tokens = context_.tokens();

    norm_.forward(held, std::move(input));
    held.joined = roomJoined();
    project(held);
    held.attended =
        allocate(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(residual_.projection().inputs()));
    held.kept = rotary_ ? core_.forward(held, apart(held), held.attended, sinks_.with(held.sinkGradient))
                        : core_.forward(held, held.joined, held.attended, sinks_.with(held.sinkGradient));
    if (context_.recompute.core) held.kept = {};
    if (core_.keepsOperands() && !headNorms_) held.joined = {};
    return makeOutput(held);
}

void AttentionLayer::dropPointwise(LayerState& state, Pointwise parts) const {
    if (parts.norms) static_cast<State&>(state).normed = {};
}

void AttentionLayer::makePointwise(LayerState& state, Pointwise parts) const {
    if (parts.norms) norm_.again(static_cast<State&>(state));
}

Buffer AttentionLayer::makeOutput(const LayerState& state) const {
    return residual_.forward(state, static_cast<const State&>(state).attended, state.input);
}

void AttentionLayer::attentionGrad(State& held, const Buffer& branchGradient, MemoryCategory kept) const {
    if (headNorms_)
        held.headNormGradient = context_.arena.allocateZeroed(kept, 2 * static_cast<std::size_t>(rotary_->width));
    held.sinkGradient = sinks_.roomForGradient(core_.shape().heads, kept);
    if (held.joined.empty()) held.joined = roomJoined();
    Buffer turned;
    if (rotary_) turned = core_.keepsOperands() ? roomApart() : apart(held);
    Buffer& read = rotary_ ? turned : held.joined;
    if (context_.recompute.core)
        context_.recompute.run(
            [&] { held.kept = core_.forward(held, read, held.attended, sinks_.with(held.sinkGradient)); });
    const Buffer attendedGradient = context_.allocate(MemoryCategory::Temporary, held.attended.size());
    residual_.projection().inputGrad(context_.tokens(), branchGradient.data(), attendedGradient.data());
    Buffer gradient = core_.backward(held, std::move(read), std::move(held.kept), held.attended, attendedGradient,
                                     sinks_.with(held.sinkGradient));
    if (!rotary_) {
        held.joined = std::move(gradient);
        return;
    }
    context_.device().rotaryGrad(*rotary_, gradient.data(), headNorms(), held.joined.data(),
                                 headNorms_ ? held.headNormGradient.floats() : nullptr);
}

Buffer AttentionLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    ResidualGradient gradient = residual_.inputGrad(held, std::move(outputGradient), kept);
    attentionGrad(held, gradient.branch, kept);
    if (shared_) held.joined = shared_->sum(held.joined);
    held.normedGradient = context_.tensor.sum(context_.allSize(), context_.types.activations, kept, [&](Array partial) {
        qkv_.inputGrad(tokens, held.joined.data(), partial);
    });
    Buffer inputGradient = norm_.inputGrad(held, gradient.aroundData(), kept);
    held.branchGradient = std::move(gradient.branch);
    return inputGradient;
}

/// Each member has the sums of its own heads.
void AttentionLayer::addHeadNormGrad(const Buffer& sums) const {
    context_.tensor.sumOverMembers(sums.span());
    const int width = rotary_->width;
    context_.device().add(width, sums.data(), headNorms_->queries.gradient());
    context_.device().add(width, sums.data() + width, headNorms_->keys.gradient());
}

void AttentionLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    residual_.weightGrad(held, held.attended);
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        qkv_.weightGrad(tokens, normed.data(), held.joined.data());
    }
    if (headNorms_) addHeadNormGrad(held.headNormGradient);
    sinks_.addGradient(held.sinkGradient);
    norm_.weightGrad(held);
    held = {};
}

}  // namespace shardlab::train
