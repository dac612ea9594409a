// SPDX-License-Identifier: Apache-2.0
// What an action does layer by layer: what each part of a layer needs and leaves, and how long it takes.
#pragma once

#include "engine/base/memory_category.h"
#include "engine/layout/layer_part.h"
#include "engine/layout/schedule/action.h"
#include "engine/predict/plan/ledger.h"

#include <vector>

namespace shardlab::predict {

struct LayerBuffers;
struct DataCosts;
struct StepCosts;

/// A part of a layer, within an action.
struct LayerMoment {
    LayerDone done;
    MemoryBytes fullest{};  ///< while the part lasts, when the sum is largest
    MemoryBytes after{};
};

/// The parts of an action that begins with `now` in use.
std::vector<LayerMoment> layerMoments(const std::vector<LayerBuffers>& layers, MemoryBytes now);

/// What memoryHistory() is of a rank, and for each of its actions the parts of its layers; none of one that computes
/// nothing, or whose stage is a cnn's.
struct LayeredHistory {
    MemoryHistory whole;
    std::vector<std::vector<LayerMoment>> layers;
};
LayeredHistory layeredHistory(const Layout& layout, const Schedule& lowered, int rank, int tensorPart = -1,
                              int replica = -1);

/// How the layers of a stage share the time of its compute actions.
void setLayerShares(DataCosts& costs, const Layout& layout, const StageShape& shape, const TensorShare& share);

/// The share of a compute action's time that a part of one of its layers takes.
double shareOf(const StepCosts& costs, const Action& action, const LayerDone& done);

}  // namespace shardlab::predict
