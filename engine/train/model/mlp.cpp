// SPDX-License-Identifier: Apache-2.0
// The mlp: a gpt without its attention, which predicts every token from the token before it and its position alone. It
// is the cheapest model with real pipelines, for teaching and tests.
#include "engine/train/model/feed_forward_layer.h"
#include "engine/train/model/models.h"

#include <cmath>
#include <fmt/format.h>

namespace shardlab::train {

StageLayers buildMlp(const StageSpec& spec, const LayerContext& context) {
    const ModelSpec& model = spec.model;
    const double projectionDeviation = 0.02 / std::sqrt(2.0 * model.layers);  // as gpt's

    StageLayers stage;
    if (spec.first) {
        context.set.beginLayer();
        stage.embedding.emplace(context, model.vocabulary);
    }
    for (int layer = spec.firstLayer; layer < spec.firstLayer + spec.layers; ++layer) {
        context.set.beginLayer();
        stage.layers.push_back(std::make_unique<FeedForwardLayer>(context, fmt::format("h.{}", layer),
                                                                  feedForwardWidth(model, layer), projectionDeviation));
    }
    if (spec.last) {
        context.set.beginLayer();
        stage.head.emplace(context, model.vocabulary, spec.tied);
    }
    if (spec.tied && spec.first != spec.last) context.set.tie("wte.weight", spec.first);
    return stage;
}

}  // namespace shardlab::train
