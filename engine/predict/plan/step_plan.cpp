// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/step_plan.h"

#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"

namespace shardlab::predict {

StepPlan stepPlan(const Layout& layout, const Measurements& measurements) {
    StepPlan plan{layout, measurements, Mesh(layout), {}, {}, {}};
    plan.compute = findScheduleMethod(layout.schedule.kind)->generate(scheduleShape(layout));
    plan.lowered = lower(plan.compute, lowerOptions(layout));
    plan.costs = stepCosts(layout, plan.mesh, plan.compute.rankOfStage, measurements, costBasis(measurements, layout));
    return plan;
}

}  // namespace shardlab::predict
