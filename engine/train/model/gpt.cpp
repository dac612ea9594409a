// SPDX-License-Identifier: Apache-2.0
// GPT-2: pre-norm blocks, learned positions, GELU tanh, output tied to the token embedding.
#include "engine/train/model/attention_layer.h"
#include "engine/train/model/feed_forward_layer.h"
#include "engine/train/model/models.h"

#include <cmath>
#include <fmt/format.h>

namespace shardlab::train {

StageLayers buildGpt(const StageSpec& spec, const LayerContext& context) {
    const ModelSpec& model = spec.model;
    // Each layer adds two branches to the residual stream; their sum keeps its size.
    const double projectionDeviation = 0.02 / std::sqrt(2.0 * model.layers);

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
        stage.layers.push_back(
            std::make_unique<FeedForwardLayer>(context, block, feedForwardWidth(model, layer), projectionDeviation));
    }
    if (spec.last) {
        context.set.beginLayer();
        stage.head.emplace(context, model.vocabulary, spec.tied);
    }
    if (spec.tied && spec.first != spec.last) context.set.tie("wte.weight", spec.first);
    return stage;
}

}  // namespace shardlab::train
