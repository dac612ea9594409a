// SPDX-License-Identifier: Apache-2.0
// A schedule that flushes, of any method and small shape, with costs that no two stages share; for tests only.
#pragma once

#include "engine/base/random.h"
#include "engine/predict/plan/costs.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/wings.h"

namespace shardlab::test {

struct ScheduleAndCosts {
    Schedule lowered;
    StepCosts costs;
};

inline ScheduleAndCosts randomScheduleAndCosts(RandomStream& random) {
    while (true) {
        const ScheduleMethod& method = scheduleMethods()[random.below(scheduleMethods().size())];
        const ScheduleShape shape{1 + static_cast<int>(random.below(5)), method.minChunks,
                                  1 + static_cast<int>(random.below(7))};
        const auto compute = generateSchedule(method.name, shape);
        if (!compute || !compute->flushes()) continue;  // the graph of those is a run of one step
        ScheduleAndCosts made{lower(*compute, {random.below(2) == 0, random.below(2) == 0, random.below(2) == 0}), {}};
        made.costs.stages.resize(static_cast<std::size_t>(made.lowered.stages()));
        for (StageCosts& stage : made.costs.stages) {
            stage.forward = 0.1 + random.uniform();
            stage.inputGrad = 0.1 + random.uniform();
            stage.weightGrad = 0.1 + random.uniform();
            stage.backward = stage.inputGrad + stage.weightGrad;
            for (double* cost : {&stage.send, &stage.reduce, &stage.tied, &stage.norm, &stage.optimizer})
                *cost = 0.01 + random.uniform();
        }
        return made;
    }
}

}  // namespace shardlab::test
