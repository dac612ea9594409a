// SPDX-License-Identifier: Apache-2.0
// What all ranks of a plan send in one step, by axis and purpose.
#pragma once

#include "engine/predict/plan/plan.h"

#include <vector>

namespace shardlab::predict {

/// Rows of what the plan's layout, mesh, lowered schedule and costs send; none has 0 bytes.
std::vector<AxisTraffic> trafficOf(const Plan& plan);

}  // namespace shardlab::predict
