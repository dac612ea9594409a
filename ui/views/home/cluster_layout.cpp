// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/home/cluster_layout.h"

#include "engine/layout/check/check.h"
#include "engine/layout/mesh/folding.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/stacks.h"
#include "engine/predict/search/nearest_legal.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace shardlab::ui {
namespace {

bool legal(const Layout& layout) { return check(layout, scheduleMethods()).empty(); }

}  // namespace

std::vector<DevicePreset> clusterDevices() {
    std::vector<DevicePreset> devices;
    std::ranges::copy_if(devicePresets(), std::back_inserter(devices),
                         [](const DevicePreset& device) { return !device.architecture.empty(); });
    return devices;
}

bool isForACluster(const Layout& layout) { return layout.cluster.pace && layout.cluster.pace->stack != ownStack; }

Layout layoutOn(const Layout& layout, const ClusterQuestion& cluster) {
    Layout asked = layout;
    asked.cluster.hosts.clear();
    for (int node = 0; node < cluster.nodes; ++node)
        asked.cluster.hosts.push_back({"node" + std::to_string(node), cluster.devices});
    if (!asked.cluster.pace) asked.cluster.pace.emplace();
    asked.cluster.pace->device = cluster.device;
    const int ranks = cluster.nodes * cluster.devices;
    ParallelSpec& parallel = asked.parallel;
    const int others = parallel.pipeline * parallel.tensor * parallel.context;
    if (ranks % others == 0) parallel.data = ranks / others;
    parallel.expert = expertFolds(parallel) * std::gcd(expertSpread(parallel), parallel.data);
    if (asked.batch.global % (parallel.data * asked.batch.micro) != 0)
        asked.batch.global =
            parallel.data * asked.batch.micro * std::max(1, asked.batch.global / (parallel.data * asked.batch.micro));
    if (legal(asked)) return asked;
    const auto nearest = nearestLegal(asked);
    return nearest ? nearest->layout : asked;
}

}  // namespace shardlab::ui
