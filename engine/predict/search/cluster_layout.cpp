// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/cluster_layout.h"

#include "engine/base/most_ranks.h"
#include "engine/base/parse_text.h"
#include "engine/layout/check/check.h"
#include "engine/layout/mesh/folding.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/stacks.h"
#include "engine/predict/search/nearest_legal.h"

#include <algorithm>
#include <cstdint>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>
#include <string>

namespace shardlab::predict {
namespace {

/// A number of at least 1; else 0.
int countIn(std::string_view text) { return std::max(0, parseNumber<int>(text).value_or(0)); }

/// What the layout's replicas share where the runs of its stack are the model: weights, too, but for pipelines, which
/// would gather them for each microbatch. 0 where the layout cannot have that.
int zeroOfStack(Layout layout) {
    const SoftwareStack* stack = modelledStack(layout);
    if (stack == nullptr || replicaCount(layout.parallel) == 1) return 0;
    int& zero = layout.parallel.zero;
    zero = layout.parallel.pipeline > 1 ? std::min(2, stack->zero) : stack->zero;
    const std::vector<Fault> faults = check(layout, scheduleMethods());
    return std::ranges::find(faults, "/parallel/zero", &Fault::pointer) == faults.end() ? zero : 0;
}

}  // namespace

Result<ClusterQuestion> parseCluster(std::string_view text) {
    const std::size_t cross = text.find('x'), colon = text.find(':');
    const auto refused = [&](Sentence why, Sentence legal) {
        return fail(Error{say("cannot read the cluster"), std::string(text), std::move(why), std::move(legal)});
    };
    const Sentence form = say("nodes, devices of a node and a device: 64x8:h100-sxm");
    if (colon == std::string_view::npos || cross >= colon)
        return refused(say("it is not of the form NODESxDEVICES:DEVICE"), form);
    ClusterQuestion cluster{countIn(text.substr(0, cross)), countIn(text.substr(cross + 1, colon - cross - 1)),
                            std::string(text.substr(colon + 1))};
    const std::int64_t all = std::int64_t{cluster.nodes} * cluster.devices;
    if (all == 0) return refused(say("nodes and devices of a node are counted from 1"), form);
    if (all > mostRanks) return refused(say("{} are more devices than a layout has ranks for", all), form);
    std::vector<std::string> names;
    for (const DevicePreset& device : clusterDevices()) names.push_back(device.name);
    if (std::ranges::find(names, cluster.device) == names.end())
        return refused(say("no device of this name is known with a software stack"),
                       fmt::format("{}", fmt::join(names, ", ")));
    return cluster;
}

std::vector<DevicePreset> clusterDevices() {
    std::vector<DevicePreset> devices;
    std::ranges::copy_if(devicePresets(), std::back_inserter(devices),
                         [](const DevicePreset& device) { return !device.architecture.empty(); });
    return devices;
}

bool isForACluster(const Layout& layout) { return layout.cluster.pace && layout.cluster.pace->stack != ownStack; }

Layout onCluster(Layout layout, const ClusterQuestion& cluster) {
    layout.cluster.hosts.clear();
    for (int node = 0; node < cluster.nodes; ++node)
        layout.cluster.hosts.push_back({"node" + std::to_string(node), cluster.devices});
    const bool open = !isForACluster(layout);
    if (!layout.cluster.pace) layout.cluster.pace.emplace();
    layout.cluster.pace->device = cluster.device;
    if (open) {
        layout.cluster.pace->stack = "megatron-core";
        if (layout.precision.compute == NumberFormat::Fp32) layout.precision.compute = NumberFormat::Bf16;
    }
    repairStack(layout);
    return layout;
}

Layout filledWithReplicas(Layout layout) {
    int devices = 0;
    for (const HostSpec& host : layout.cluster.hosts) devices += host.devices;
    ParallelSpec& parallel = layout.parallel;
    BatchSpec& batch = layout.batch;
    if (std::min({parallel.pipeline, parallel.tensor, parallel.context, parallel.data, parallel.expert, batch.micro,
                  batch.global}) < 1)
        return layout;
    int replicas = devices;
    for (const int other : {parallel.pipeline, parallel.tensor, parallel.context})
        replicas = replicas % other == 0 ? replicas / other : 0;
    const bool alone = parallel.data == 1 && parallel.context == 1 && parallel.zero == 0;
    if (replicas > 0) parallel.data = replicas;
    if (alone) parallel.zero = zeroOfStack(layout);
    parallel.expert = expertFolds(parallel) * std::gcd(expertSpread(parallel), parallel.data);
    const std::int64_t atOnce = std::int64_t{parallel.data} * batch.micro;
    const std::int64_t global = atOnce * std::max<std::int64_t>(1, batch.global / atOnce);
    if (global <= std::numeric_limits<int>::max()) batch.global = static_cast<int>(global);
    return layout;
}

Layout layoutOn(const Layout& layout, const ClusterQuestion& cluster) {
    Layout asked = filledWithReplicas(onCluster(layout, cluster));
    if (check(asked, scheduleMethods()).empty()) return asked;
    auto nearest = nearestLegal(asked);
    return nearest ? std::move(nearest->layout) : asked;
}

}  // namespace shardlab::predict
