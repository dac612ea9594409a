// SPDX-License-Identifier: GPL-3.0-or-later
// Events in words: for tooltips, the inspector and tables.
#pragma once

#include "ui/core/run_model.h"

#include <QString>

namespace shardlab {

/// "Backward · stage 6 · microbatch 5"; for what has no action, its kind's name, with its own name in an imported run.
QString whatText(const RunModel& model, const Event& event);
/// "3F7", or the name that an imported run gives the event; empty where it has neither.
QString actionText(const RunModel& model, const Event& event);
/// Two lines: "2B5 · backward · rank 2", "5.91 ms, predicted 5.63 ms (+5.0 %)".
QString hoverText(const RunModel& model, const Event& event);
/// "5.63 ms (+5.0 %)": the prediction and how far the measured time is from it; empty without one.
QString predictedText(const RunModel& model, const Event& event);
QString seconds(std::int64_t nanoseconds);
/// Of a step, an index into stepExtents(), whose events are not there: why, and what its figures say of a rank.
QString figuresText(const RunModel& model, std::size_t step, int rank);

}  // namespace shardlab
