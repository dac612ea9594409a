// SPDX-License-Identifier: Apache-2.0
// Which part of a model a layout gives to a rank: one of its stages, and a share of that.
#include "engine/layout/mesh/folding.h"
#include "engine/layout/model_shape.h"

namespace shardlab::layout {

TensorShare tensorShare(const Layout& layout, int part) {
    const ParallelSpec& parallel = layout.parallel;
    return {parallel.tensor,   part < 0 ? parallel.tensor - 1 : part,
            parallel.sequence, parallel.context,
            parallel.expert,   expertFolds(parallel)};
}

double unevenness(const Layout& layout, const StageShape& stage) {
    const int t = layout.parallel.tensor;
    const auto flops = [&](int part) {
        return stageForwardFlops(layout.model, stage, layout.batch.micro, tensorShare(layout, part));
    };
    double sum = 0;
    for (int part = 0; part < t; ++part) sum += flops(part);
    return sum > 0 ? flops(t - 1) * t / sum : 1;  // a stage of the embedding alone has no operations
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
