// SPDX-License-Identifier: GPL-3.0-or-later
// Going from step to step, and from one slow step to the next.
#pragma once

#include "ui/core/run_model.h"
#include "ui/core/selection.h"

#include <vector>

namespace shardlab::ui {

/// A step is slow where it takes more than this many times the median of the steady steps.
inline constexpr double slowFactor = 1.2;

/// How long a step takes, nanoseconds: as predicted, or as measured where that is longer.
struct TypicalStep {
    std::int64_t length = 0;
    enum class Known { Predicted, WarmingUp, Steady } known = Known::Predicted;  ///< which steps it was measured of
};
TypicalStep typicalStep(const RunModel& model);
/// Indices into model.steps().extents(), ascending; complete steps after the warm-up.
std::vector<int> slowSteps(const RunModel& model);
/// Index of the step in the middle of what is in sight; -1: none.
int stepInSight(const RunModel& model, const Selection& selection);
/// Brings a whole step, an index into RunSteps::extents(), into sight.
void lookAtStep(const RunModel& model, Selection& selection, int index);
/// The next (+1) or previous (−1) slow step from what is in sight; false where there is none.
bool lookAtSlowStep(const RunModel& model, Selection& selection, int direction);

}  // namespace shardlab::ui
