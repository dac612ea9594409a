// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/models.h"

#include <array>
#include <stdexcept>
#include <string_view>

namespace shardlab {

namespace {

struct ModelKind {
    std::string_view name;
    StageBuilder build;
};

constexpr std::array kinds{
    ModelKind{"gpt", buildGpt},     ModelKind{"mlp", buildMlp}, ModelKind{"gpt-moe", buildGptMoe},
    ModelKind{"llama", buildLlama}, ModelKind{"cnn", buildCnn},
};

}  // namespace

StageLayers buildStage(const StageSpec& spec, const LayerContext& context) {
    for (const ModelKind& kind : kinds) {
        if (kind.name == spec.model.kind) return kind.build(spec, context);
    }
    throw std::logic_error("no model of kind \"" + spec.model.kind + "\"");
}

}  // namespace shardlab
