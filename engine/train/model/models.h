// SPDX-License-Identifier: Apache-2.0
// The kinds of models by their names in layouts, and the sources of this folder that put their stages together from
// layers; buildStage() finds them here. One builder makes all transformers, from the parts that their layouts name.
#pragma once

#include "engine/train/model/embedding_layer.h"
#include "engine/train/model/image_input.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/output_head.h"
#include "engine/train/model/packed_map.h"
#include "engine/train/model/stage.h"

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace shardlab::train {

struct StageLayers {
    std::optional<EmbeddingLayer> embedding;  ///< on the first stage, where samples are tokens
    std::optional<ImageInput> images;         ///< on the first stage, where samples are images
    std::vector<std::unique_ptr<Layer>> layers;
    std::optional<OutputHead> head;       ///< on the last stage
    std::shared_ptr<PackedTally> packed;  ///< where blocks keep activations in fewer bits
};

/// Declares the stage's weights and builds its layers.
using StageBuilder = StageLayers(const StageSpec& spec, const LayerContext& context);
StageBuilder buildTransformer, buildCnn;

struct ModelOfKind {
    ModelKind kind;
    StageBuilder* build;
};

inline constexpr std::array models{
    ModelOfKind{ModelKind::Gpt, buildTransformer},
    ModelOfKind{ModelKind::Mlp, buildTransformer},
    ModelOfKind{ModelKind::GptMoe, buildTransformer},
    ModelOfKind{ModelKind::Llama, buildTransformer},
    ModelOfKind{ModelKind::Cnn, buildCnn},
};

/// Builds a stage of spec.model.kind, which exists, since the layout was checked.
StageLayers buildStage(const StageSpec& spec, const LayerContext& context);

}  // namespace shardlab::train
