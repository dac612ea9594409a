// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/collectives.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

namespace shardlab::predict {
namespace {

constexpr std::array algorithms{Algorithm::Ring, Algorithm::Tree, Algorithm::Hierarchical};

/// Reduce-scatter and all-gather round a ring of n.
double ringSeconds(double bytes, double n, const Link& link) {
    return 2 * (n - 1) * link.latency + 2 * (n - 1) / n * bytes / link.bandwidth;
}

}  // namespace

std::string_view name(Algorithm algorithm) {
    constexpr std::array<std::string_view, 3> names{"ring", "tree", "hierarchical"};
    return names[static_cast<std::size_t>(algorithm)];
}

Group groupOf(const Mesh& mesh, std::span<const int> ranks) {
    std::vector<int> members;  // of one host after another: ranks fill hosts in order
    int last = -1;
    for (const int rank : ranks) {
        const int host = mesh.host(rank);
        if (host != last) members.push_back(0);
        ++members.back();
        last = host;
    }
    const bool even = std::ranges::count(members, members.front()) == std::ssize(members);
    return {static_cast<int>(ranks.size()), static_cast<int>(members.size()), even};
}

bool works(Algorithm algorithm, const Group& group) {
    return algorithm != Algorithm::Hierarchical || (group.hosts > 1 && group.even && group.members > group.hosts);
}

double allReduceSeconds(Algorithm algorithm, double bytes, const Group& group, const DevicePreset& device) {
    if (group.members < 2) return 0;
    const Link& slowest = group.hosts > 1 ? device.betweenNodes : device.inNode;
    switch (algorithm) {
    case Algorithm::Ring: break;
    case Algorithm::Tree: {
        const int levels = std::bit_width(static_cast<unsigned>(group.members - 1));
        return 2 * levels * (slowest.latency + bytes / slowest.bandwidth);
    }
    case Algorithm::Hierarchical: {
        const double onHost = double(group.members) / group.hosts;
        return ringSeconds(bytes, onHost, device.inNode) +
               ringSeconds(bytes / onHost, group.hosts, device.betweenNodes);
    }
    }
    return ringSeconds(bytes, group.members, slowest);
}

Collective allReduce(double bytes, const Group& group, const DevicePreset& device) {
    Collective best{allReduceSeconds(Algorithm::Ring, bytes, group, device), Algorithm::Ring};
    for (const Algorithm algorithm : algorithms) {
        if (!works(algorithm, group)) continue;
        const double seconds = allReduceSeconds(algorithm, bytes, group, device);
        if (seconds < best.seconds) best = {seconds, algorithm};
    }
    return best;
}

}  // namespace shardlab::predict
