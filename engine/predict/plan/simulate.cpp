// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/simulate.h"

#include "engine/predict/plan/async_server.h"

namespace shardlab::predict {

Simulation simulate(const Schedule& lowered, const StepCosts& costs, const Mesh& mesh) {
    if (costs.asyncWorkers > 0) return simulateAsyncServer(lowered, costs, true);
    return simulateActions(lowered, costs, mesh);
}

Simulation simulateWithoutEvents(const Schedule& lowered, const StepCosts& costs) {
    if (costs.asyncWorkers > 0) return simulateAsyncServer(lowered, costs, false);
    return simulateActionsWithoutEvents(lowered, costs);
}

double simulatedSeconds(const Schedule& lowered, const StepCosts& costs) {
    return simulateWithoutEvents(lowered, costs).stepSeconds;
}

}  // namespace shardlab::predict
