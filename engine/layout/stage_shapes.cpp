// SPDX-License-Identifier: Apache-2.0
// Which part of a model a layout gives to a rank: one of its stages, and a share of that.
#include "engine/layout/mesh/copies.h"
#include "engine/layout/model_shape.h"

namespace shardlab::layout {

TensorShare tensorShare(const Layout& layout, int part) {
    const ParallelSpec& parallel = layout.parallel;
    return {parallel.tensor,   part < 0 ? parallel.tensor - 1 : part,
            parallel.sequence, parallel.context,
            parallel.expert,   expertFolds(parallel)};
}

std::vector<StageShape> stageShapes(const Layout& layout) {
    std::vector<StageShape> shapes;
    int firstLayer = 0;
    for (int layers : stageLayers(layout)) {
        shapes.push_back({layers, false, false, firstLayer});
        firstLayer += layers;
    }
    if (!shapes.empty()) {
        shapes.front().first = true;
        shapes.back().last = true;
        shapes.back().layers += predictionModules(layout.model);
    }
    return shapes;
}

}  // namespace shardlab::layout
