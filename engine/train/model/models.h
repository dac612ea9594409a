// SPDX-License-Identifier: Apache-2.0
// Who builds the stages of each model, from layers. One builder makes all transformers, from the parts that their
// layouts name; what the rest of the program knows of a model stands in layout/model_kind.h.
#pragma once

#include "engine/train/model/embedding_layer.h"
#include "engine/train/model/image_input.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/output_head.h"
#include "engine/train/model/packed_map.h"
#include "engine/train/model/prediction_layer.h"
#include "engine/train/model/stage.h"

#include <memory>
#include <optional>
#include <vector>

namespace shardlab::train {

struct StageLayers {
    std::optional<EmbeddingLayer> embedding;  ///< on the first stage, where samples are tokens
    std::optional<ImageInput> images;         ///< on the first stage, where samples are images
    std::vector<std::unique_ptr<Layer>> layers;
    std::optional<OutputHead> head;  ///< on the last stage
    /// Where modules predict further tokens, the first layer of each module's block, which is one of `layers`.
    std::vector<PredictionLayer*> modules;
    std::shared_ptr<PackedTally> packed;  ///< where blocks keep activations in fewer bits
};

/// Declares the stage's weights and builds its layers.
using StageBuilder = StageLayers(const StageSpec& spec, const LayerContext& context);
StageBuilder buildTransformer, buildCnn;

inline constexpr KindTable<ModelKind, StageBuilder*> stageBuilders({
    {ModelKind::Gpt, buildTransformer},
    {ModelKind::Mlp, buildTransformer},
    {ModelKind::GptMoe, buildTransformer},
    {ModelKind::LlamaMoe, buildTransformer},
    {ModelKind::Llama, buildTransformer},
    {ModelKind::Cnn, buildCnn},
});

}  // namespace shardlab::train
