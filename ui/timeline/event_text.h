// SPDX-License-Identifier: GPL-3.0-or-later
// Events in words: for tooltips, the view "Selected" and tables.
#pragma once

#include "ui/core/run_model.h"

#include <QString>

namespace shardlab::ui {

/// "Backward · stage 6 · microbatch 5"; for what has no action, its kind's name, with its own name in an imported run.
QString whatText(const RunModel& model, const Event& event);
/// "3F7", or the name that an imported run gives the event; empty where it has neither.
QString actionText(const RunModel& model, const Event& event);
/// Two lines: "2B5 · backward · rank 2", "5.91 ms, predicted 5.63 ms (+5.0 %)".
QString hoverText(const RunModel& model, const Event& event);
/// "5.63 ms (+5.0 %)": the prediction and how far the measured time is from it; empty without one.
QString predictedText(const RunModel& model, const Event& event);
/// How long nanoseconds on the run's clock are in device time: "5.63 ms".
QString seconds(const RunModel& model, std::int64_t nanoseconds);
/// A moment of the run in device time: "12.45 s". The unit suits `largest` (0: the moment itself); all are nanoseconds
/// on its clock.
QString moment(const RunModel& model, std::int64_t time, std::int64_t largest = 0, std::int64_t exactness = 10'000'000);
/// What a paced run's times are; empty where the clock is the devices'.
QString paceHelp(const RunModel& model);
/// For a step, given by its index in RunSteps::extents(), whose events are not there: why they are not, and what the
/// step's figures say about a rank.
QString figuresText(const RunModel& model, std::size_t step, int rank);

}  // namespace shardlab::ui
