// SPDX-License-Identifier: GPL-3.0-or-later
// A picture of the Replay dashboard, drawn by the views themselves, without a window on any display.
#pragma once

#include "engine/base/result.h"

#include <QSize>

#include <filesystem>

namespace shardlab::ui {

/// Needs a QApplication. Writes a PNG of `size` pixels.
Status renderRun(const std::filesystem::path& run, const std::filesystem::path& picture, QSize size, bool light);

}  // namespace shardlab::ui
