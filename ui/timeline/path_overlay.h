// SPDX-License-Identifier: GPL-3.0-or-later
// The predicted step's critical path over a timeline: everything else steps back, and the chain that decides the step's
// length is drawn from action to action.
#pragma once

#include "ui/timeline/timeline_state.h"

#include <vector>

namespace shardlab {

/// Events of the path in order, of one pipeline and one step: of the prediction where nothing was measured, else those
/// measured in the step at `extent`. An action that was not recorded is left out.
std::vector<Event> pathEvents(const RunModel& model, const StepAccount& account, int pipeline, const StepExtent* extent);

/// Nothing while the account is not there or not asked for.
void paintPath(QPainter& painter, const TimelineState& state);

}  // namespace shardlab
