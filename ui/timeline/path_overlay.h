// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path over a timeline: everything else steps back, and the chain that decided a step's length, or is
// predicted to, is drawn from action to action.
#pragma once

#include "ui/timeline/timeline_state.h"

#include <vector>

namespace shardlab::ui {

/// Events of the path in order, of one pipeline: of the prediction without an `extent`, else of its step, by what
/// was measured (step_path.h); of a schedule that does not flush the predicted path's actions.
std::vector<Event> pathEvents(const RunModel& model, const StepAccount& account, int pipeline,
                              const StepExtent* extent);

/// Nothing while the account is not there or not asked for.
void paintPath(QPainter& painter, const TimelineState& state);

}  // namespace shardlab::ui
