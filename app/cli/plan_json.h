// SPDX-License-Identifier: Apache-2.0
// A plan for other programs, which `plan --json` answers with.
#pragma once

#include "engine/predict/evidence/published_ground.h"
#include "engine/predict/plan/critical_path.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/search/nearest_legal.h"

#include <nlohmann/json_fwd.hpp>

namespace shardlab::cli {

/// Seconds, bytes and shares; "faults" is empty.
nlohmann::ordered_json planJson(const Plan& plan);
/// Each field by its pointer with its new value, as --set takes them; null where there are none.
nlohmann::ordered_json fieldsJson(const std::vector<FieldChange>& changes);
nlohmann::ordered_json groundJson(const PublishedGround& ground);
/// The memory of each pipeline rank over the step.
nlohmann::ordered_json memoryCurveJson(const Plan& plan);
/// Every action with its slack, and what each rank contributes.
nlohmann::ordered_json criticalPathJson(const StepGraph& graph, const CriticalPath& path);

}  // namespace shardlab::cli
