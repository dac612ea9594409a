// SPDX-License-Identifier: Apache-2.0
// Where a step's time goes, as `plan` tells it.
#pragma once

#include "engine/predict/plan/waterfall.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace shardlab::cli {

/// A table with a line for each part that takes any time.
std::string waterfallText(const Waterfall& fall);
/// All parts in order, which are step_seconds together.
nlohmann::ordered_json waterfallJson(const Waterfall& fall);

}  // namespace shardlab::cli
