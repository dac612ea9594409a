// SPDX-License-Identifier: Apache-2.0
// The memory ledger over the simulated step: when each rank holds how much, for what.
#pragma once

#include "engine/trace/metrics/memory_curve.h"
#include "engine/predict/plan/step_plan.h"

#include <span>
#include <vector>

namespace shardlab::predict {

/// `step`: the events of the plan's simulated step, or of what was predicted when it was recorded. One curve for each
/// pipeline rank of a replica, by its coordinate of the data axis; -1: the last. All are alike, but for the first where
/// it is a server or keeps a centre (layout/exchange.h). While a layer of a compute action lasts, the curve holds the
/// most that the layer needs; a receive counts from its post, a send to the end of the compute action that follows it.
/// The curve's peak is that of the ledger.
std::vector<MemoryCurve> predictedMemory(const StepPlan& plan, std::span<const Event> step, int replica = -1);

}  // namespace shardlab::predict
