// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/tensor_notes.h"

#include "engine/base/units.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/tensor_extents.h"

#include <fmt/format.h>

namespace shardlab::predict {

std::vector<Sentence> tensorNotes(const Layout& layout) {
    std::vector<Sentence> notes;
    for (const TensorExtent& each : tensorExtents(layout)) {
        if (each.even()) continue;
        const double even = static_cast<double>(each.extent) / each.members;
        notes.push_back(say("the last rank of each tensor group holds {} of {}, {} more than an even share",
                            each.most(), each.what, formatPercent(static_cast<double>(each.most()) / even - 1)));
    }
    if (notes.empty()) return notes;
    double most = 0;
    for (const StageShape& stage : stageShapes(layout)) most = std::max(most, unevenness(layout, stage));
    notes.push_back(say("unequal shares of a tensor group: the last rank has up to {} more operations than if all "
                        "shares were equal, and the others wait for it in each layer",
                        formatPercent(most - 1)));
    return notes;
}

}  // namespace shardlab::predict
