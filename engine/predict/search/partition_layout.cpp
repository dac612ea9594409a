// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/partition_layout.h"

#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/predict/plan/costs.h"

#include <algorithm>

namespace shardlab::predict {

std::vector<LayerCost> layerCosts(const Layout& layout, const MeshGroups& groups, const Measurements& measurements) {
    // What a layer costs is what a stage of it alone would.
    Layout single = layout;
    single.schedule.stages.assign(static_cast<std::size_t>(layout.model.layers), 1);
    const std::vector<int> onOneRank(single.schedule.stages.size(), 0);
    const StepCosts costs = stepCosts(single, groups, onOneRank, measurements, costBasis(measurements, layout));
    const std::vector<StageShape> shapes = stageShapes(single);
    const TensorShare share = tensorShare(layout);
    const NumberFormats formats = numberFormats(layout.precision);
    std::vector<LayerCost> layers;
    for (std::size_t layer = 0; layer < shapes.size(); ++layer) {
        const StageCosts& cost = costs.stages[layer];
        const int above = static_cast<int>(layer) + 1;
        layers.push_back({cost.forward + cost.backward,
                          formats.activationBytes() * boundaryFloats(layout.model, above, layout.batch.micro, share),
                          formats.gradientBytes() * stageParameters(layout.model, shapes[layer], share)});
    }
    return layers;
}

double partitionBandwidth(const Layout& layout, const Mesh& mesh) {
    const DevicePreset device = rankDevice(layout, mesh);
    const bool oneHost = mesh.host(0) == mesh.host(mesh.ranks() - 1);
    return (oneHost ? device.inNode : device.betweenNodes).bandwidth;
}

std::vector<int> balancedStages(const Layout& layout, const Mesh& mesh, const Measurements& measurements) {
    const int stages = stageCount(layout);
    if (stages < 1 || stages > layout.model.layers) return {};
    return balancedSplit(layerCosts(layout, mesh, measurements), stages, partitionBandwidth(layout, mesh));
}

std::vector<double> splitSeconds(const std::vector<LayerCost>& layers, const std::vector<int>& split) {
    std::vector<double> stages;
    auto layer = layers.begin();
    for (const int count : split) {
        double seconds = 0;
        for (int i = 0; i < count; ++i) seconds += (layer++)->seconds;
        stages.push_back(seconds);
    }
    return stages;
}

}  // namespace shardlab::predict
