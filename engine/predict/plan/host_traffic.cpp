// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/host_traffic.h"

#include "engine/base/clock.h"

namespace shardlab::predict {

std::vector<HostTraffic> hostTraffic(std::span<const Event> events, int ranks) {
    std::vector<HostTraffic> all(static_cast<std::size_t>(ranks));
    for (const Event& event : events) {
        const ActionKind kind = actionFromId(event.action).kind;
        if (!isHostCopy(kind) || event.rank < 0 || event.rank >= ranks) continue;
        HostTraffic& traffic = all[static_cast<std::size_t>(event.rank)];
        const double seconds = toSeconds(event.end - event.begin);
        if (event.kind == EventKind::Wait) traffic.exposedSeconds += seconds;
        if (!isHostCopy(event.kind)) continue;
        (goesToHost(kind) ? traffic.toHost : traffic.fromHost) += event.bytes;
        (goesToHost(kind) ? traffic.toHostSeconds : traffic.fromHostSeconds) += seconds;
    }
    return all;
}

std::vector<HostTraffic> hostTraffic(const Simulation& step, const Mesh& mesh) {
    std::vector<HostTraffic> all = hostTraffic(step.events, mesh.ranks());
    if (!step.folded) return all;
    std::vector<int> first(static_cast<std::size_t>(mesh.size(Axis::Pipeline)), -1);
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        int& shown = first[static_cast<std::size_t>(mesh.coordinate(rank, Axis::Pipeline))];
        if (shown < 0) shown = rank;
        all[static_cast<std::size_t>(rank)] = all[static_cast<std::size_t>(shown)];
    }
    return all;
}

}  // namespace shardlab::predict
