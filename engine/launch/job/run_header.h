// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/predict/plan/plan.h"
#include "engine/trace/run_file/run_file.h"

namespace shardlab::launch {

/// The header of a run of this plan, created now. A prediction has one too, so that the same views show both.
RunHeader headerOf(const Plan& plan);

}  // namespace shardlab::launch
