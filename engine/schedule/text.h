// SPDX-License-Identifier: Apache-2.0
// Schedules as text: a grid of time × rank for people, CSV as torch.distributed.pipelining writes it.
#pragma once

#include "engine/schedule/schedule.h"

namespace shardlab {

/// Columns are unit slots (F takes 1, B takes 2, I and W 1 each), one row per rank; `marked` is framed "[0B2]".
std::string toGrid(const Schedule& schedule, const Action* marked = nullptr, int markedRank = -1);
/// One line per rank, actions separated by commas.
std::string toCsv(const Schedule& schedule);
Result<Schedule> parseCsv(std::string_view csv);

}  // namespace shardlab
