// SPDX-License-Identifier: Apache-2.0
// What a whole run takes, as `plan --tokens` tells it.
#pragma once

#include "engine/predict/plan/whole_run.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace shardlab::cli {

std::string wholeRunText(const WholeRun& run);
/// Null is what failures leave no end of.
nlohmann::ordered_json wholeRunJson(const WholeRun& run);

}  // namespace shardlab::cli
