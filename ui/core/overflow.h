// SPDX-License-Identifier: GPL-3.0-or-later
// What a scaled loss tells: its scale in powers of two, and gradients that were not finite.
#pragma once

#include "ui/core/run_model.h"

#include <QString>

#include <span>
#include <vector>

namespace shardlab::ui {

/// "2¹⁵"; a number that is no power of two as it is.
QString powerOfTwo(double value);
QString powerOfTwo(int exponent);

/// "layer 3", "embedding", "output", as events tell layers.
QString layerName(int layer);
/// The overflows of all ranks, ascending by step and rank. Several ranks may report the same step.
std::vector<Event> overflows(const RunModel& model);
std::span<const Event> ofStep(const std::vector<Event>& overflows, int step);
/// "layer 3, microbatch 2"; where no replica alone had it, "layer 3, sum over replicas".
QString overflowPlace(const Event& overflow);
/// "overflow: layer 3, microbatch 2, step 17 skipped".
QString overflowText(const Event& overflow);
/// "overflow, step skipped: layer 3, microbatch 2 (ranks 0, 1); output, …" ; empty for a step that was not skipped.
QString overflowsText(std::span<const Event> ofOneStep);
/// Whether the run's layout multiplies its loss.
bool scalesLoss(const RunModel& model);
/// "2¹⁶ → 2¹⁵": the scale of the overflow's step and of the next; the first alone where none followed, empty where it
/// is not known.
QString scaleAround(const RunModel& model, int step);

}  // namespace shardlab::ui
