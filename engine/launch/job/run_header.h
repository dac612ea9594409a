// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/predict/plan/measurements.h"
#include "engine/predict/plan/plan.h"
#include "engine/trace/interchange/expected_run.h"
#include "engine/trace/run_file/run_file.h"

namespace shardlab::launch {

/// The header of a run of this plan, created now. A prediction has one too, so that the same views show both.
RunHeader headerOf(const Plan& plan);

/// What another program that trains this layout is held against: its prediction in the time of the devices that the
/// layout models, as the program is slowed down by nothing. Error: the layout's faults.
tl::expected<ExpectedRun, std::vector<Fault>> expectedRun(const Layout& layout, const Measurements& measurements);

}  // namespace shardlab::launch
