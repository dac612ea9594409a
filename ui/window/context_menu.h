// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of a right click in a view: what the view offers there, the row or the words below the pointer, the selected
// rank, and what serves every view.
#pragma once

class QMenu;
class QPoint;

namespace shardlab::ui {

class DockPanel;

/// `at`: in the panel's coordinates. Commands of the window that cannot be done now are left out.
void fillContextMenu(QMenu& menu, DockPanel& panel, const QPoint& at);

}  // namespace shardlab::ui
