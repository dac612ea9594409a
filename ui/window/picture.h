// SPDX-License-Identifier: GPL-3.0-or-later
// A picture of the Replay dashboard, drawn by the views themselves, without a window on any display.
#pragma once

#include "engine/base/result.h"

#include <QSize>

#include <filesystem>
#include <span>

namespace shardlab::ui {

class RunModel;
struct StepExtent;

/// The run's last two steps, or one; the last with details where its program recorded these of some steps alone, as
/// others would leave the timeline empty. Of `model`, as long as it does not change.
std::span<const StepExtent> stepsOfPicture(const RunModel& model);

/// Needs a QApplication. Writes a PNG of `size` pixels.
Status renderRun(const std::filesystem::path& run, const std::filesystem::path& picture, QSize size, bool light);

}  // namespace shardlab::ui
