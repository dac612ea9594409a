// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"
#include "engine/trace/run_file.h"

namespace shardlab {

/// The header a run of this plan has, so that a prediction can be shown by the same views as a run.
RunHeader headerOf(const Plan& plan);

}  // namespace shardlab
