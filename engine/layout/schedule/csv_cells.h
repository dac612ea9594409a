// SPDX-License-Identifier: Apache-2.0
// What reading a schedule's CSV needs, strictly or as other programs write it.
#pragma once

#include "engine/layout/schedule/schedule.h"

#include <fmt/format.h>
#include <functional>
#include <string_view>

namespace shardlab {

/// The part of `text` before the next `separator`, which is taken off with it.
std::string_view takePart(std::string_view& text, char separator);

/// One rank a line. `read` takes a cell that is not blank and adds its actions; its error gets line and cell.
Result<Schedule> readCells(std::string_view csv,
                           const std::function<Status(std::string_view cell, std::vector<Action>& actions)>& read);

}  // namespace shardlab
