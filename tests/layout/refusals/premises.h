// SPDX-License-Identifier: Apache-2.0
// What several refusals rest on, worked out from the layout and not from what its check says.
#pragma once

#include "engine/layout/attention_shape.h"
#include "engine/layout/schedule/registry.h"
#include "tests/layout/refusals/refusal.h"

#include <algorithm>

namespace shardlab::test {

/// No update stands between a forward and the backward of the same microbatch: the order of the schedule's actions says
/// so, by the versions of the weights that they name.
inline bool updatesBetweenSteps(const Layout& layout) {
    const auto schedule = generateSchedule(layout.schedule.kind, scheduleShape(layout));
    return !schedule || (schedule->updates == 1 && schedule->fill.empty() &&
                         std::ranges::all_of(schedule->versions, [](int versions) { return versions == 1; }));
}
/// Every replica starts every step with the same weights.
inline bool sharesWeights(const Layout& layout) {
    return layout.parallel.exchange == Exchange::AllReduce || layout.parallel.exchange == Exchange::Server;
}
inline bool oneRankWorkers(const Layout& layout) {
    return layout.parallel.exchange != Exchange::Hogwild || layout.parallel.pipeline * layout.parallel.tensor == 1;
}
inline int devicesOf(const Layout& layout) {
    int devices = 0;
    for (const HostSpec& host : layout.cluster.hosts) devices += host.devices;
    return devices;
}
inline int ranksOf(const Layout& layout) {
    const ParallelSpec& p = layout.parallel;
    return p.data * p.pipeline * p.tensor * p.context;
}

/// The members of a group get a device each of a single host.
inline void onOneHost(Layout& layout) { layout.cluster.hosts = {{"localhost", ranksOf(layout)}}; }
/// Every update is made as soon as a stage has its gradient; clipping would be refused beside.
inline void withoutFlush(Layout& layout) {
    layout.schedule.kind = "pipedream";
    layout.optimizer.clip = 0;
}

}  // namespace shardlab::test
