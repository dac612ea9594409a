// SPDX-License-Identifier: Apache-2.0
// The kinds of models: each puts one stage of itself together from layers.
#pragma once

#include "engine/train/model/embedding_layer.h"
#include "engine/train/model/image_input.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/output_head.h"
#include "engine/train/model/packed_map.h"
#include "engine/train/model/stage.h"

#include <memory>
#include <optional>
#include <vector>

namespace shardlab {

struct StageLayers {
    std::optional<EmbeddingLayer> embedding;  ///< of the first stage, where samples are tokens
    std::optional<ImageInput> images;         ///< where they are images
    std::vector<std::unique_ptr<Layer>> layers;
    std::optional<OutputHead> head;       ///< of the last stage
    std::shared_ptr<PackedTally> packed;  ///< where blocks keep activations in fewer bits
};

/// Declares the stage's weights and builds its layers. Adding a kind = one such function + one line in models.cpp.
using StageBuilder = StageLayers (*)(const StageSpec& spec, const LayerContext& context);
StageLayers buildGpt(const StageSpec& spec, const LayerContext& context);
StageLayers buildLlama(const StageSpec& spec, const LayerContext& context);
StageLayers buildGptMoe(const StageSpec& spec, const LayerContext& context);
StageLayers buildMlp(const StageSpec& spec, const LayerContext& context);
StageLayers buildCnn(const StageSpec& spec, const LayerContext& context);

/// Of spec.model.kind; the layout was checked, so it exists.
StageLayers buildStage(const StageSpec& spec, const LayerContext& context);

}  // namespace shardlab
