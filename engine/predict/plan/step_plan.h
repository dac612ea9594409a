// SPDX-License-Identifier: Apache-2.0
// What ranks carry out in a step, and what each action costs. A whole plan (plan.h) says besides what comes of it: that
// is simulated and counted once, by whoever starts a run, and not by each of its ranks.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/layout/schedule/schedule.h"
#include "engine/predict/plan/measurements.h"

namespace shardlab::predict {

struct StepPlan {
    Layout layout;
    Measurements measurements;  ///< what its times were made from
    Mesh mesh;
    Schedule compute;  ///< what the generator wrote
    Schedule lowered;  ///< what is simulated and executed
    StepCosts costs;
};

/// `layout` is legal (check.h). The costs are not stretched: how much a paced run is slowed follows from a simulated
/// step, and a rank is told (RankArguments::stretch).
StepPlan stepPlan(const Layout& layout, const Measurements& measurements = {});

}  // namespace shardlab::predict
