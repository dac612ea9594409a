// SPDX-License-Identifier: Apache-2.0
// What a run's layout may be where it comes from a file or from a link, and not from check().
#pragma once

#include "engine/base/most_ranks.h"
#include "engine/layout/layout.h"
#include "engine/layout/mesh/axis.h"
#include "engine/layout/model_shape.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace shardlab::trace {

/// Whether the layout has no more of anything than events and actions can number: whoever reads a run makes tables of
/// it.
inline bool isCountable(const Layout& layout) {
    constexpr int mostStages = 1 << 16, mostLayers = 1 << 20;
    const auto within = [](int value, int least, int most) { return value >= least && value <= most; };
    const std::vector<int>& stages = layout.schedule.stages;
    return std::ranges::all_of(axisTraits,
                               [&](const AxisTraits& axis) {
                                   return layout.parallel.*axis.degree >= (mayBeZero(axis.axis) ? 0 : 1);
                               }) &&
           rankCount(layout) <= mostRanks && within(stageCount(layout), 1, mostStages) &&
           within(layout.model.layers, 0, mostLayers) && stages.size() <= mostStages &&
           std::ranges::all_of(stages, [&](int layers) { return within(layers, 0, mostLayers); }) &&
           std::accumulate(stages.begin(), stages.end(), std::int64_t{0}) <= mostLayers &&
           layout.cluster.hosts.size() <= mostRanks &&
           std::ranges::all_of(layout.cluster.hosts,
                               [&](const HostSpec& host) { return within(host.devices, 0, mostRanks); });
}

}  // namespace shardlab::trace
