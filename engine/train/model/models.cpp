// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/models.h"

#include <stdexcept>

namespace shardlab {

StageLayers buildStage(const StageSpec& spec, const LayerContext& context) {
    for (const NamedModel& model : models)
        if (model.name == spec.model.kind) return model.build(spec, context);
    throw std::logic_error("no model of kind \"" + spec.model.kind + "\"");
}

}  // namespace shardlab
