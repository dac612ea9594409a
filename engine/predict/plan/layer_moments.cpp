// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/layer_moments.h"

#include "engine/predict/plan/costs.h"
#include "engine/predict/plan/stage_buffers.h"

namespace shardlab::predict {

MemoryHistory memoryHistory(const Layout& layout, const Schedule& lowered, int rank, int tensorPart, int replica) {
    return layeredHistory(layout, lowered, rank, tensorPart, replica).whole;
}

std::vector<LayerMoment> layerMoments(const std::vector<LayerBuffers>& layers, MemoryBytes now) {
    std::vector<LayerMoment> moments;
    for (const LayerBuffers& layer : layers) {
        const MemoryBytes fullest = together(now, layer.delta.fullest);
        now = together(now, layer.delta.change);
        moments.push_back({layer.done, fullest, now});
    }
    return moments;
}

double shareOf(const StepCosts& costs, const Action& action, const LayerDone& done) {
    const DataCosts& data = costs.stages[static_cast<std::size_t>(action.stage)].data;
    const LayeredShares shares = costs.layered(action);
    const auto of = [&](double whole, const std::vector<double>& layers) {
        const auto layer = static_cast<std::size_t>(done.layer);
        return layer < layers.size() ? whole * layers[layer] : 0.0;
    };
    switch (done.part) {
    case LayerPart::Use: return of(shares.use, data.layerShare);
    case LayerPart::Again: return of(shares.again, data.againShare);
    case LayerPart::Gradient: return of(shares.gradient, data.layerShare);
    }
    return 0;
}

}  // namespace shardlab::predict
