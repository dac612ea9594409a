// SPDX-License-Identifier: Apache-2.0
// The memory ledger over the simulated step: when each rank holds how much, for what.
#pragma once

#include "engine/figures/memory_curve.h"
#include "engine/plan/plan.h"

#include <vector>

namespace shardlab {

/// One curve for each pipeline rank; replicas are alike. While a compute action runs, its curve holds the most that the
/// action needs; a receive counts from its post, a send to the end of the compute action that follows it. The curve's
/// peak is that of the ledger.
std::vector<MemoryCurve> predictedMemory(const Plan& plan);

}  // namespace shardlab
