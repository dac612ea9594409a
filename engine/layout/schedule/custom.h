// SPDX-License-Identifier: Apache-2.0
// The schedule that a layout carries itself: kind custom, a line of F, B, I and W for each pipeline rank. The passes
// add all other actions, as they do to a generated schedule.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"
#include "engine/layout/schedule_method.h"
#include "engine/layout/schedule/validate.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

inline constexpr std::string_view customKind = "custom";

/// The actions as text, one line a rank: "0F0,0F1,0B0".
std::vector<std::string> actionLines(const Schedule& compute);
/// The schedule of kind custom that the lines state; an error names the line and the cell that cannot be read.
Result<Schedule> scheduleOfLines(const std::vector<std::string>& lines);
/// The first reason why a schedule does not have the shape, or cannot run. Positions are those of `schedule`.
std::optional<Finding> findMisfit(const Schedule& schedule, const ScheduleShape& shape);

/// The layout with `compute` for its own schedule; chunks follow from it.
Layout withOwnSchedule(Layout layout, const Schedule& compute);
/// The layout with another kind of schedule. A layout that becomes custom takes the order that it generated before,
/// where that was legal; a layout that was custom forgets its order.
Layout withScheduleKind(Layout layout, std::string_view kind);
/// The layout with a schedule that makes its own order: `preferred`, or where that does not work with the layout's
/// ranks, chunks and microbatches, the first that does.
Layout generatedAgain(Layout layout, std::string_view preferred);

}  // namespace shardlab::layout
