// SPDX-License-Identifier: Apache-2.0
// One generator a file; registry.cpp names them. Each writes compute only, for a shape its method does not refuse.
#pragma once

#include "engine/layout/schedule/schedule.h"

#include "engine/layout/schedule_method.h"

namespace shardlab {

Schedule generateNaive(const ScheduleShape& shape);
double naiveBubble(const ScheduleShape& shape);

Schedule generateGpipe(const ScheduleShape& shape);
/// (p−1)/(m+p−1), of GPipe and of 1F1B with flush.
double flushBubble(const ScheduleShape& shape);

Schedule generateOneFOneB(const ScheduleShape& shape);

Schedule generateInterleavedOneFOneB(const ScheduleShape& shape);
std::optional<ShapeRefusal> interleavedRefusal(const ScheduleShape& shape);
double interleavedBubble(const ScheduleShape& shape);
bool interleavedHasClosedForm(const ScheduleShape& shape);  ///< where p divides m

Schedule generateLoopedBfs(const ScheduleShape& shape);
double loopedBfsBubble(const ScheduleShape& shape);

Schedule generateZbH1(const ScheduleShape& shape);
double zbH1Bubble(const ScheduleShape& shape);
bool zbH1HasClosedForm(const ScheduleShape& shape);  ///< where m ≥ p

Schedule generateZbV(const ScheduleShape& shape);
double zbVBubble(const ScheduleShape& shape);

Schedule generateZbGreedy(const ScheduleShape& shape);
double zbGreedyBubble(const ScheduleShape& shape);

Schedule generateDualPipeV(const ScheduleShape& shape);
std::optional<ShapeRefusal> dualPipeVRefusal(const ScheduleShape& shape);
double dualPipeVBubble(const ScheduleShape& shape);

Schedule generatePipeDream(const ScheduleShape& shape);
std::optional<ShapeRefusal> pipeDreamRefusal(const ScheduleShape& shape);
Schedule generatePipeDream2bw(const ScheduleShape& shape);
std::optional<ShapeRefusal> twoVersionsRefusal(const ScheduleShape& shape);
/// 0, of schedules that never flush.
double steadyBubble(const ScheduleShape& shape);

/// What the shape's actions say; the shape is not refused.
Schedule generateCustom(const ScheduleShape& shape);
std::optional<ShapeRefusal> customRefusal(const ScheduleShape& shape);
double customBubble(const ScheduleShape& shape);

/// No actions yet; chunk c of rank r is stage c·p + r.
Schedule emptySchedule(std::string kind, const ScheduleShape& shape);
/// No actions yet; stages fold back: rank r holds the stages r and 2p − 1 − r.
Schedule emptyFoldedSchedule(std::string kind, const ScheduleShape& shape);

/// The bubble of a compute-only schedule, counted in its unit slots: for methods that have no closed form.
double countedBubble(const Schedule& compute);

}  // namespace shardlab
