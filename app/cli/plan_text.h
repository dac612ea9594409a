// SPDX-License-Identifier: Apache-2.0
// A plan for people, which `plan` prints.
#pragma once

#include "engine/predict/plan/critical_path.h"
#include "engine/predict/plan/plan.h"

#include <string>

namespace shardlab::cli {

/// `evidence`: what the plan stands on, as a line of it; empty: none. `all`: a row for each rank, where otherwise ranks
/// that do the same and differ in no figure stand in one row.
std::string planText(const Plan& plan, const std::string& evidence, bool all);
/// A table of the memory of each pipeline rank over the step.
std::string memoryCurveText(const Plan& plan);
/// The chain that decides how long the step takes, and what each rank contributes.
std::string criticalPathText(const StepGraph& graph, const CriticalPath& path);

}  // namespace shardlab::cli
