// SPDX-License-Identifier: Apache-2.0
// The simulation of a step, whichever way its ranks work together.
#pragma once

#include "engine/predict/plan/simulate_actions.h"

namespace shardlab::predict {

/// One step as simulateActions() describes it; where an asynchronous server serves workers (StepCosts::asyncWorkers),
/// as simulateAsyncServer() does. `lowered` is valid (validate.h).
Simulation simulate(const Schedule& lowered, const StepCosts& costs, const Mesh& mesh);

/// Simulates without making events, several times faster than simulate().
Simulation simulateWithoutEvents(const Schedule& lowered, const StepCosts& costs);

/// The time of the step alone, in seconds.
double simulatedSeconds(const Schedule& lowered, const StepCosts& costs);

}  // namespace shardlab::predict
