// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/bubble_parts.h"

#include "engine/layout/exchange.h"
#include "engine/predict/plan/simulate.h"

#include <algorithm>

namespace shardlab::predict {

BubbleParts bubbleParts(const Plan& plan) {
    BubbleParts parts;
    if (plan.costs.asyncWorkers > 0 || plan.layout.parallel.exchange == Exchange::Hogwild) {
        parts.communication = plan.bubble;
        return parts;
    }
    double left = plan.bubble;
    const auto takeOut = [&](double& part, const StepCosts& without) {
        const double remains = std::min(left, simulateWithoutEvents(plan.lowered, without).bubble);
        part = left - remains;
        left = remains;
    };
    StepCosts costs = plan.costs;
    costs.cores = 0;
    if (plan.costs.cores > 0) takeOut(parts.overload, costs);
    costs = withoutCommunication(std::move(costs));
    takeOut(parts.communication, costs);
    takeOut(parts.imbalance, withEqualStages(std::move(costs)));
    parts.fill = left;
    return parts;
}

}  // namespace shardlab::predict
