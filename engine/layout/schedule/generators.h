// SPDX-License-Identifier: Apache-2.0
// The generators, one a file. Each writes the compute actions of a shape that its method does not refuse; registry.cpp
// names them. A bubble is the idle share of a step as schedule_method.h defines it.
#pragma once

#include "engine/layout/schedule/schedule.h"

#include "engine/layout/schedule_method.h"

namespace shardlab::layout {

Schedule generateNaive(const ScheduleShape& shape);
double naiveBubble(const ScheduleShape& shape);

Schedule generateGpipe(const ScheduleShape& shape);
/// The bubble of GPipe and of 1F1B with flush, (p−1)/(m+p−1).
double flushBubble(const ScheduleShape& shape);

Schedule generateOneFOneB(const ScheduleShape& shape);

Schedule generateInterleavedOneFOneB(const ScheduleShape& shape);
/// Microbatches of a round; the last may have fewer.
int interleavedRound(int ranks, int microbatches);
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
/// The bubble of schedules that never flush, 0.
double steadyBubble(const ScheduleShape& shape);

/// The schedule that the shape's own actions state.
Schedule generateCustom(const ScheduleShape& shape);
std::optional<ShapeRefusal> customRefusal(const ScheduleShape& shape);
double customBubble(const ScheduleShape& shape);

/// A schedule without actions in which chunk c of rank r is stage c·p + r.
Schedule emptySchedule(std::string kind, const ScheduleShape& shape);
/// A schedule without actions whose stages fold back: rank r holds the stages r and 2p − 1 − r.
Schedule emptyFoldedSchedule(std::string kind, const ScheduleShape& shape);

/// The bubble of a compute-only schedule, counted in unit slots, for methods that have no closed form.
double countedBubble(const Schedule& compute);

}  // namespace shardlab::layout
