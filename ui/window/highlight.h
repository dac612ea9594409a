// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace shardlab::ui {

/// Draws a frame around the widget, over whatever lies there, that fades and goes. A second one takes the place of the
/// first.
void highlight(QWidget& widget);

}  // namespace shardlab::ui
