// SPDX-License-Identifier: Apache-2.0
// The gpt with experts in place of every second feed-forward block, beginning with the second (2006.16668, 2101.03961).
#include "engine/train/model/attention_layer.h"
#include "engine/train/model/experts_layer.h"
#include "engine/train/model/feed_forward_layer.h"
#include "engine/train/model/models.h"

#include <cmath>
#include <fmt/format.h>

namespace shardlab::train {

namespace {

/// The kernel's name of a gate.
GateKind gateKind(GateMethod gate) {
    switch (gate) {
    case GateMethod::Switch: return GateKind::Switch;
    case GateMethod::NoisyTopK: return GateKind::NoisyTopK;
    case GateMethod::Hierarchical: return GateKind::Hierarchical;
    case GateMethod::GShard: return GateKind::GShard;
    case GateMethod::ExpertChoice: return GateKind::ExpertChoice;
    case GateMethod::CappedExpertChoice: return GateKind::CappedChoice;
    }
    return GateKind::Switch;
}

/// Experts and gates without noise start from a truncated normal distribution of variance 0.1 ÷ inputs, as in Switch. A
/// noisy gate starts from zeros: the noise alone decides, and the load is even. Other weights start as a gpt's.
ExpertsSpec expertsSpec(const StageSpec& spec, int layer, double projectionDeviation) {
    const ModelSpec& model = spec.model;
    const GateKind kind = gateKind(model.experts.gate);
    const int width = feedForwardWidth(model, layer);
    const auto truncated = [](int inputs) { return Initial{std::sqrt(0.1 / inputs), 0, true}; };
    ExpertsSpec made;
    made.gate = {{spec.samples, model.sequence, model.experts.count, expertChoices(model), expertCapacity(model)},
                 kind,
                 model.experts.balance,
                 noisyGate(model) ? Initial{} : truncated(model.hidden),
                 model.experts.tokenExperts,
                 model.experts.entropy};
    if (made.gate.inGroups()) {
        made.gate.shape.groups = model.experts.groups;
        made.gate.shape.groupChoices = model.experts.topGroups;
    }
    made.width = width;
    made.dropout = model.experts.dropout;
    const bool asSwitch = kind == GateKind::Switch;
    made.expansion = asSwitch ? truncated(model.hidden) : Initial{0.02};
    made.projection = asSwitch ? truncated(width) : Initial{projectionDeviation};
    return made;
}

}  // namespace

StageLayers buildGptMoe(const StageSpec& spec, const LayerContext& context) {
    const ModelSpec& model = spec.model;
    const double projectionDeviation = 0.02 / std::sqrt(2.0 * model.layers);  // as gpt's

    StageLayers stage;
    if (spec.first) {
        context.set.beginLayer();
        stage.embedding.emplace(context, model.vocabulary);
    }
    for (int layer = spec.firstLayer; layer < spec.firstLayer + spec.layers; ++layer) {
        const std::string block = fmt::format("h.{}", layer);
        context.set.beginLayer();
        stage.layers.push_back(std::make_unique<AttentionLayer>(context, block, model.heads, projectionDeviation));
        context.set.beginLayer();
        if (hasExperts(model, layer))
            stage.layers.push_back(
                std::make_unique<ExpertsLayer>(context, block, expertsSpec(spec, layer, projectionDeviation)));
        else
            stage.layers.push_back(std::make_unique<FeedForwardLayer>(context, block, feedForwardWidth(model, layer),
                                                                      projectionDeviation));
    }
    if (spec.last) {
        context.set.beginLayer();
        stage.head.emplace(context, model.vocabulary, spec.tied);
    }
    if (spec.tied && spec.first != spec.last) context.set.tie("wte.weight", spec.first);
    return stage;
}

}  // namespace shardlab::train
