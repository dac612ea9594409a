// SPDX-License-Identifier: Apache-2.0
// Every schedule there is: one line a method in registry.cpp.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"
#include "engine/layout/schedule_method.h"
#include "engine/layout/schedule/schedule.h"

#include <span>

namespace shardlab {

std::span<const ScheduleMethod> scheduleMethods();
/// Those that have an order of their own for a shape: all but the one written by hand.
std::span<const ScheduleMethod> generatedMethods();
/// nullptr where there is none of that name.
const ScheduleMethod* findScheduleMethod(std::string_view name);

/// Compute-only schedule by name; refuses shapes with the reason and what would be legal.
Result<Schedule> generateSchedule(std::string_view kind, const ScheduleShape& shape);
ScheduleShape scheduleShape(const Layout& layout);
/// What the bubble of this very shape follows from, in words.
std::string_view bubbleFormula(const ScheduleMethod& method, const ScheduleShape& shape);
/// Whether every step of a run ends with a flush: not so where the layout's method does not, nor where workers, of an
/// asynchronous server or in shared memory, come to a step's end at their own pace. True where there is no method of
/// that name.
bool flushes(const Layout& layout);

}  // namespace shardlab
