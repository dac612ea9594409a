// SPDX-License-Identifier: Apache-2.0
// The schedule that a layout carries itself: kind custom, for each pipeline rank a line of F, B, I and W. All that is
// not compute is added by the passes, as to a generated one.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"
#include "engine/layout/schedule_method.h"
#include "engine/layout/schedule/validate.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlab {

inline constexpr std::string_view customKind = "custom";

/// One line a rank, "0F0,0F1,0B0".
std::vector<std::string> actionLines(const Schedule& compute);
/// Kind custom. Error where a line cannot be read, with line and cell.
Result<Schedule> scheduleOfLines(const std::vector<std::string>& lines);
/// Why a schedule is none for the shape, or cannot run: the first reason. Positions are those of `schedule`.
std::optional<Finding> findMisfit(const Schedule& schedule, const ScheduleShape& shape);

/// The layout with `compute` for its own schedule; chunks follow from it.
Layout withOwnSchedule(Layout layout, const Schedule& compute);
/// The layout with another kind of schedule. To custom: its order is what it generated before, where that was legal.
/// From custom to another: the order is forgotten.
Layout withScheduleKind(Layout layout, std::string_view kind);
/// The layout with a schedule that makes its own order: `preferred`, or where that does not work with the layout's
/// ranks, chunks and microbatches, the first that does.
Layout generatedAgain(Layout layout, std::string_view preferred);

}  // namespace shardlab
