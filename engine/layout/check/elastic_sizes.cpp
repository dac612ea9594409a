// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/elastic_sizes.h"

#include "engine/layout/check/check.h"
#include "engine/layout/mesh/axis.h"

#include <algorithm>

namespace shardlab::layout {

int ranksOfReplica(const ParallelSpec& parallel) {
    int ranks = 1;
    for (const AxisTraits& axis : axisTraits)
        if (axis.placesRanks && axis.axis != Axis::Data) ranks *= parallel.*axis.degree;
    return ranks;
}

Layout withReplicas(const Layout& layout, int data, std::span<const HostSpec> hosts) {
    Layout fewer = layout;
    fewer.parallel.data = data;
    fewer.run.minData = 0;
    fewer.run.faults.clear();
    fewer.cluster.hosts.clear();
    int left = rankCount(fewer);
    for (const HostSpec& host : hosts) {
        const int taken = std::min(host.devices, left);
        if (taken > 0) fewer.cluster.hosts.push_back({host.name, taken});
        left -= taken;
    }
    return fewer;
}

bool isAdmissible(const Layout& layout, int data, std::span<const ScheduleMethod> schedules) {
    if (data < 1 || layout.batch.micro < 1) return false;
    // Asked first, as it is what most numbers fail at.
    if (layout.batch.global % (std::int64_t{data} * layout.batch.micro) != 0) return false;
    return check(withReplicas(layout, data), schedules).empty();
}

std::vector<int> admissibleSizes(const Layout& layout, std::span<const ScheduleMethod> schedules) {
    std::vector<int> sizes{layout.parallel.data};
    for (int data = layout.parallel.data - 1; data >= std::max(layout.run.minData, 1); --data)
        if (isAdmissible(layout, data, schedules)) sizes.push_back(data);
    return sizes;
}

}  // namespace shardlab::layout
