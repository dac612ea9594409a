// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/shared_pace.h"

#include "engine/base/units.h"
#include "engine/layout/fields.h"
#include "engine/predict/plan/simulate.h"
#include "engine/predict/plan/step_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace shardlab::predict {
namespace {

/// Seconds of a step on the modelled devices. What this machine was measured at does not enter them.
double deviceSeconds(const Layout& layout) {
    const StepPlan plan = stepPlan(layout);
    return simulatedSeconds(plan.lowered, plan.costs);
}

}  // namespace

std::optional<double> paceTogether(std::span<Layout* const> layouts) {
    std::vector<std::pair<PaceSpec*, double>> paced;
    double stretch = 0, longest = 0;
    for (Layout* layout : layouts) {
        if (!layout->cluster.pace) continue;
        const double seconds = deviceSeconds(*layout);
        paced.emplace_back(&*layout->cluster.pace, seconds);
        stretch = std::max(stretch, layout->cluster.pace->stepSeconds / seconds);
        longest = std::max(longest, seconds);
    }
    if (paced.size() < 2 || stretch * longest > findField("/cluster/pace/step_seconds")->limits.most)
        return std::nullopt;
    for (const auto& [pace, seconds] : paced) pace->stepSeconds = stretch * seconds;
    return stretch;
}

Result<double> stepSecondsAt(const Layout& layout, double stretch) {
    const FieldLimits& limits = findField("/cluster/pace/step_seconds")->limits;
    const double seconds = deviceSeconds(layout) * stretch;
    if (seconds >= limits.least && seconds <= limits.most) return seconds;
    return fail({"a step would not last a legal time at this pace", "/cluster/pace/step_seconds",
                 fmt::format("slowed {} × it lasts {}", formatCount(stretch), formatSeconds(seconds)),
                 fmt::format("{} to {}", formatSeconds(limits.least), formatSeconds(limits.most))});
}

}  // namespace shardlab::predict
