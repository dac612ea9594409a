// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/run_header.h"

#include "engine/base/clock.h"
#include "engine/layout/layout_file.h"

namespace shardlab::launch {

RunHeader headerOf(const Plan& plan) {
    RunHeader header;
    header.layout = plan.layout;
    header.layoutJson = writeLayout(plan.layout);
    header.created = utcNow();
    header.version = SHARDLAB_VERSION;
    header.paced = plan.layout.cluster.pace.has_value();
    header.stretch = plan.costs.stretch;
    header.predictedStepSeconds = plan.simulation.stepSeconds;
    header.predictedBubble = plan.bubble;
    header.theoreticalBubble = plan.bubbleTheory;
    for (const RankMemory& memory : plan.memory) header.predictedPeak.push_back(memory.peak);
    header.capacityBytes = plan.device.capacityBytes;
    header.peak = plan.peak;
    return header;
}

tl::expected<ExpectedRun, std::vector<Fault>> expectedRun(const Layout& layout, const Measurements& measurements) {
    auto plan = makePlan(layout, measurements, 1.0);
    if (!plan) return tl::unexpected(std::move(plan.error()));
    ExpectedRun expected{headerOf(*plan), std::move(plan->simulation.events)};
    expected.header.paced = false;
    return expected;
}

}  // namespace shardlab::launch
