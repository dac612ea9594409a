// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path of a step by its events: as predicted, and as the step went.
#pragma once

#include "engine/predict/plan/measured_path.h"
#include "ui/core/run_model.h"
#include "ui/core/step_account.h"

#include <optional>
#include <vector>

namespace shardlab::ui {

/// A rank of the pipeline that `rank` belongs to, as the others here want it: itself, or one of the first pipeline
/// where it belongs to none.
int pipelineOf(const StepAccount& account, int rank);

/// The predicted path's actions, in order: as predicted, or as they were in a measured step. Those without an event are
/// left out.
std::vector<Event> predictedPath(const RunModel& model, const StepAccount& account, int pipeline,
                                 std::optional<int> step = {});

struct StepPath {
    int step = 0;
    MeasuredPath path;          ///< in seconds of the run's clock
    std::vector<Event> events;  ///< whole, of each link
};

/// The path of one replica's pipeline in a measured step. None where nothing of the step is recorded, or where the
/// schedule does not flush: what decides such a step lies in part in those before.
std::optional<StepPath> measuredPath(const RunModel& model, const StepAccount& account, int pipeline, int step);

}  // namespace shardlab::ui
