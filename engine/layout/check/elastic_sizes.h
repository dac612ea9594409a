// SPDX-License-Identifier: Apache-2.0
// Elastic runs (run.min_data): a run of D replicas that may go on with fewer, down to min_data, and with up to D again.
// Every size trains on the same global batch, so that only the order of sums differs; all other degrees stay.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/schedule_method.h"

#include <span>
#include <vector>

namespace shardlab::layout {

inline bool isElastic(const Layout& layout) { return layout.run.minData > 0; }

/// Ranks of one replica, which come and go together.
int ranksOfReplica(const ParallelSpec& parallel);
/// The layout with `data` replicas, on the first devices of `hosts` (which have enough); itself not elastic, and
/// without faults on purpose, which number the ranks of all replicas.
Layout withReplicas(const Layout& layout, int data, std::span<const HostSpec> hosts);
inline Layout withReplicas(const Layout& layout, int data) { return withReplicas(layout, data, layout.cluster.hosts); }

/// Whether the layout without a fault could also run with `data` replicas, whatever run.min_data says.
bool isAdmissible(const Layout& layout, int data, std::span<const ScheduleMethod> schedules);
/// The numbers of replicas that an elastic layout without faults may have, parallel.data first and descending to
/// run.min_data.
std::vector<int> admissibleSizes(const Layout& layout, std::span<const ScheduleMethod> schedules);

}  // namespace shardlab::layout
