// SPDX-License-Identifier: GPL-3.0-or-later
// How every chart with axes looks: ground, labels and grid in the theme's colours.
#pragma once

class QCustomPlot;

namespace shardlab::ui {

struct Theme;

/// Horizontal grid lines only, neither ticks nor axis lines. Call again when the theme changes.
void applyPlotStyle(QCustomPlot& plot, const Theme& theme);

}  // namespace shardlab::ui
