// SPDX-License-Identifier: Apache-2.0
// The partitioner for a layout: its layers' predicted or measured times, the balanced split of its stages.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/predict/plan/mesh_groups.h"
#include "engine/predict/plan/measurements.h"
#include "engine/predict/search/partition.h"

#include <vector>

namespace shardlab::predict {

/// The cost of each layer of the model, as makePlan() has them from the same measurements; the first layer includes the
/// embedding and the last one the output. The present stages of `layout` do not matter.
std::vector<LayerCost> layerCosts(const Layout& layout, const MeshGroups& groups,
                                  const Measurements& measurements = {});

/// Bytes a second between two workers: of the slowest link that the layout has.
double partitionBandwidth(const Layout& layout, const Mesh& mesh);

/// As many stages as the layout has, balanced; as schedule.stages wants them. Empty where there are more stages than
/// layers.
std::vector<int> balancedStages(const Layout& layout, const Mesh& mesh, const Measurements& measurements = {});

/// Seconds of one microbatch's forward and backward in each stage of a split.
std::vector<double> splitSeconds(const std::vector<LayerCost>& layers, const std::vector<int>& split);

}  // namespace shardlab::predict
