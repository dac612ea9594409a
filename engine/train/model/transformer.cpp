// SPDX-License-Identifier: Apache-2.0
// Every transformer: pre-norm blocks of an attention, which an mlp does not have, and a feed-forward block, in whose
// place there may be experts (2006.16668, 2101.03961); their parts are those of layout/block_parts.h.
#include "engine/layout/model_shape.h"
#include "engine/train/model/attention_layer.h"
#include "engine/train/model/experts_layer.h"
#include "engine/train/model/feed_forward_layer.h"
#include "engine/train/model/latent_attention_layer.h"
#include "engine/train/model/models.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::train {

namespace {

/// The kernel's name of a gate.
constexpr KindTable<GateMethod, GateKind> gateKinds({
    {GateMethod::Switch, GateKind::Switch},
    {GateMethod::NoisyTopK, GateKind::NoisyTopK},
    {GateMethod::Hierarchical, GateKind::Hierarchical},
    {GateMethod::GShard, GateKind::GShard},
    {GateMethod::ExpertChoice, GateKind::ExpertChoice},
    {GateMethod::CappedExpertChoice, GateKind::CappedChoice},
    {GateMethod::SoftmaxTopK, GateKind::Switch},
    {GateMethod::TopKSoftmax, GateKind::TopKSoftmax},
    {GateMethod::SigmoidTopK, GateKind::Sigmoid},
    {GateMethod::SigmoidInGroups, GateKind::Sigmoid},
});

/// Experts and gates without noise start from a truncated normal distribution of variance 0.1 ÷ inputs, as in Switch. A
/// noisy gate starts from zeros: the noise alone decides, and the load is even. Other weights start as a gpt's.
/// `context`: of all layers.
ExpertsSpec expertsSpec(const StageSpec& spec, int layer, const LayerContext& context, double projectionDeviation) {
    const ModelSpec& model = spec.model;
    const int sequence = context.sequence;
    const GateKind kind = gateKinds[model.experts.gate];
    const int width = feedForwardWidth(model, layer);
    const auto truncated = [](int inputs) { return Initial{std::sqrt(0.1 / inputs), 0, true}; };
    ExpertsSpec made;
    made.gate = {{spec.samples, sequence, model.experts.count, expertChoices(model), expertCapacity(model)},
                 kind,
                 model.experts.balance,
                 noisyGate(model) ? Initial{} : truncated(model.hidden),
                 model.experts.tokenExperts,
                 model.experts.entropy,
                 model.experts.scale};
    if (dropless(model)) {
        made.gate.shape.dropless = true;
        made.gate.shape.capacity = sequence;
    }
    if (context.context) {
        made.gate.shape.members = context.context->size();
        made.gate.shape.member = context.context->member();
    }
    made.gate.biased = biasesChoice(model);
    made.gate.scoreBias = model.experts.scoreBias;
    if (hasGroups(model) || choosesInGroups(model)) {
        made.gate.shape.groups = model.experts.groups;
        made.gate.shape.groupChoices = model.experts.topGroups;
    }
    made.width = width;
    made.shared = sharedWidth(model, layer);
    made.dropout = model.experts.dropout;
    made.gate.numbered = made.dropout > 0;
    const bool asSwitch = model.experts.gate == GateMethod::Switch;
    made.expansion = asSwitch ? truncated(model.hidden) : Initial{0.02};
    made.projection = asSwitch ? truncated(width) : Initial{projectionDeviation};
    return made;
}

/// Columns of queries and keys are turned as kernels/rotary.h says.
RotaryAngles rotaryAngles(const RotarySpec& spec) {
    using Scaling = RotaryAngles::Scaling;
    const Scaling scaling = spec.scaling == RotaryScaling::Yarn     ? Scaling::Yarn
                            : spec.scaling == RotaryScaling::Llama3 ? Scaling::ByTurns
                                                                    : Scaling::None;
    return {spec.base, scaling, spec.factor, spec.low, rotaryHigh(spec), spec.original, spec.truncate};
}

AttentionSpec attentionSpec(const ModelSpec& model, int layer, double projectionDeviation) {
    AttentionSpec spec{model.heads, keyHeads(model), headWidth(model), {}, 0, projectionDeviation};
    if (blockParts(model).rotary) spec.rotary = rotaryAngles(model.block.rotary);
    if (const int seen = attendedTokens(model, layer); seen < model.sequence) spec.window = seen;
    return spec;
}

LatentSpec latentSpec(const ModelSpec& model, int layer, double projectionDeviation) {
    const BlockSpec& block = model.block;
    LatentSpec spec{.heads = model.heads,
                    .plain = headWidth(model),
                    .turned = block.ropeWidth,
                    .values = valueWidth(model),
                    .queryRank = block.queryRank,
                    .keyRank = block.kvRank,
                    .angles = rotaryAngles(block.rotary),
                    .projectionDeviation = projectionDeviation};
    if (const int seen = attendedTokens(model, layer); seen < model.sequence) spec.window = seen;
    return spec;
}

/// The name of the norm between what block `layer` makes and the output projection.
std::string normAbove(const ModelSpec& model, int layer) {
    return ofModule(model, layer) ? fmt::format("h.{}.shared_head.norm", layer) : "ln_f";
}

}  // namespace

StageLayers buildTransformer(const StageSpec& spec, const LayerContext& given) {
    const ModelSpec& model = spec.model;
    // Each layer adds two branches to the residual stream; their sum keeps its size.
    const double projectionDeviation = 0.02 / std::sqrt(2.0 * model.layers);
    LayerContext context = given;
    context.parts = blockParts(model);
    const bool tied = spec.tied && context.parts.tied;

    StageLayers stage;
    if (spec.first) {
        context.set.beginLayer();
        stage.embedding.emplace(context, model.vocabulary);
    }
    for (int layer = spec.firstLayer; layer < spec.firstLayer + spec.layers; ++layer) {
        const std::string block = fmt::format("h.{}", layer);
        const auto attention = [&]() -> std::unique_ptr<Layer> {
            if (context.parts.latent)
                return std::make_unique<LatentAttentionLayer>(context, block,
                                                              latentSpec(model, layer, projectionDeviation));
            return std::make_unique<AttentionLayer>(context, block, attentionSpec(model, layer, projectionDeviation));
        };
        if (hasAttention(model)) context.set.beginLayer();
        if (ofModule(model, layer)) {
            auto module = std::make_unique<PredictionLayer>(context, block, normAbove(model, layer - 1),
                                                            model.vocabulary, attention);
            stage.modules.push_back(module.get());
            stage.layers.push_back(std::move(module));
        } else if (hasAttention(model)) {
            stage.layers.push_back(attention());
        }
        context.set.beginLayer();
        if (hasExperts(model, layer))
            stage.layers.push_back(
                std::make_unique<ExpertsLayer>(context, block, expertsSpec(spec, layer, context, projectionDeviation)));
        else
            stage.layers.push_back(std::make_unique<FeedForwardLayer>(context, block, feedForwardWidth(model, layer),
                                                                      projectionDeviation));
    }
    if (spec.last) {
        context.set.beginLayer();
        stage.head.emplace(context, normAbove(model, blockCount(model) - 1), model.vocabulary, tied,
                           spec.memory.lossPieces);
    }
    if ((tied || predictionModules(model) > 0) && spec.first != spec.last) context.set.tie("wte.weight", spec.first);
    return stage;
}

}  // namespace shardlab::train
