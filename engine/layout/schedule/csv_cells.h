// SPDX-License-Identifier: Apache-2.0
// The cells of a schedule's CSV, for the strict reader and for the one that takes what other programs write.
#pragma once

#include "engine/layout/schedule/schedule.h"

#include <functional>
#include <string_view>

namespace shardlab::layout {

/// Reads one rank a line. `read` gets each cell that is not blank and adds its actions; its error is completed with
/// line and cell.
Result<Schedule> readCells(std::string_view csv,
                           const std::function<Status(std::string_view cell, std::vector<Action>& actions)>& read);

}  // namespace shardlab::layout
