// SPDX-License-Identifier: Apache-2.0
// Llama (2302.13971, 2307.09288): pre-norm blocks with RMSNorm, rotary positions, SwiGLU and heads of queries that
// share keys and values; no biases, and an output projection of its own.
#include "engine/train/model/gated_feed_forward_layer.h"
#include "engine/train/model/grouped_attention_layer.h"
#include "engine/train/model/models.h"

#include <cmath>
#include <fmt/format.h>

namespace shardlab::train {

StageLayers buildLlama(const StageSpec& spec, const LayerContext& given) {
    const ModelSpec& model = spec.model;
    const double projectionDeviation = 0.02 / std::sqrt(2.0 * model.layers);  // as gpt's
    LayerContext context = given;
    context.style = {.rmsNorm = true, .biases = false, .positions = false};

    StageLayers stage;
    if (spec.first) {
        context.set.beginLayer();
        stage.embedding.emplace(context, model.vocabulary);
    }
    for (int layer = spec.firstLayer; layer < spec.firstLayer + spec.layers; ++layer) {
        const std::string block = fmt::format("h.{}", layer);
        context.set.beginLayer();
        stage.layers.push_back(std::make_unique<GroupedAttentionLayer>(context, block, model.heads, keyHeads(model),
                                                                       model.llama.ropeBase, projectionDeviation));
        context.set.beginLayer();
        stage.layers.push_back(std::make_unique<GatedFeedForwardLayer>(context, block, feedForwardWidth(model, layer),
                                                                       projectionDeviation));
    }
    if (spec.last) {
        context.set.beginLayer();
        stage.head.emplace(context, model.vocabulary, false);
    }
    return stage;
}

}  // namespace shardlab::train
