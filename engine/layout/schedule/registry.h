// SPDX-License-Identifier: Apache-2.0
// The methods by which schedules are made: one line a method in registry.cpp.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"
#include "engine/layout/schedule_method.h"
#include "engine/layout/schedule/schedule.h"

#include <span>

namespace shardlab::layout {

std::span<const ScheduleMethod> scheduleMethods();
/// The methods that make an order for a shape: all but the one written by hand.
std::span<const ScheduleMethod> generatedMethods();
/// The method of that name, or nullptr.
const ScheduleMethod* findScheduleMethod(std::string_view name);

/// The compute-only schedule of the method called `kind`. An error says why the method does not have the shape, and
/// what would be legal.
Result<Schedule> generateSchedule(std::string_view kind, const ScheduleShape& shape);
ScheduleShape scheduleShape(const Layout& layout);
/// The formula of this shape's bubble, or in words how it is counted.
std::string_view bubbleFormula(const ScheduleMethod& method, const ScheduleShape& shape);
/// Whether every step of a run ends with a flush. It does not where the layout's method has no flush, nor where workers
/// of an asynchronous server, or in shared memory, come to a step's end at their own pace. A method that is unknown
/// counts as one with a flush.
bool flushes(const Layout& layout);

}  // namespace shardlab::layout
