// SPDX-License-Identifier: Apache-2.0
// One generator a file; registry.cpp names them. Each writes compute only, for a shape its method does not refuse.
#pragma once

#include "engine/schedule/schedule.h"

#include "engine/layout/schedule_method.h"

namespace shardlab {

Schedule generateNaive(const ScheduleShape& shape);
double naiveBubble(const ScheduleShape& shape);

Schedule generateGpipe(const ScheduleShape& shape);
/// (p−1)/(m+p−1), of GPipe and of 1F1B with flush.
double flushBubble(const ScheduleShape& shape);

Schedule generateOneFOneB(const ScheduleShape& shape);

/// No actions yet; chunk c of rank r is stage c·p + r.
Schedule emptySchedule(std::string kind, const ScheduleShape& shape);

}  // namespace shardlab
