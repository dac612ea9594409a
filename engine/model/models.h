// SPDX-License-Identifier: Apache-2.0
// The kinds of models: each puts one stage of itself together from layers.
#pragma once

#include "engine/model/embedding_layer.h"
#include "engine/model/layer.h"
#include "engine/model/layer_context.h"
#include "engine/model/output_head.h"
#include "engine/model/stage.h"

#include <memory>
#include <optional>
#include <vector>

namespace shardlab {

struct StageLayers {
    std::optional<EmbeddingLayer> embedding;  ///< of the first stage
    std::vector<std::unique_ptr<Layer>> layers;
    std::optional<OutputHead> head;  ///< of the last stage
};

/// Declares the stage's weights and builds its layers. Adding a kind = one such function + one line in models.cpp.
using StageBuilder = StageLayers (*)(const StageSpec& spec, const LayerContext& context);
StageLayers buildGpt(const StageSpec& spec, const LayerContext& context);
StageLayers buildLlama(const StageSpec& spec, const LayerContext& context);
StageLayers buildGptMoe(const StageSpec& spec, const LayerContext& context);
StageLayers buildMlp(const StageSpec& spec, const LayerContext& context);

/// Of spec.model.kind; the layout was checked, so it exists.
StageLayers buildStage(const StageSpec& spec, const LayerContext& context);

}  // namespace shardlab
