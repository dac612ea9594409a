// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/models.h"

#include <stdexcept>

namespace shardlab::train {

StageLayers buildStage(const StageSpec& spec, const LayerContext& context) {
    for (const ModelOfKind& model : models)
        if (model.kind == spec.model.kind) return model.build(spec, context);
    throw std::logic_error("there is no such model");
}

}  // namespace shardlab::train
