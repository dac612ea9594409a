// SPDX-License-Identifier: GPL-3.0-or-later
// Where the views of a workspace stand at first.
#pragma once

#include "ui/core/view.h"

#include <QString>

#include <vector>

namespace shardlab::ui {

/// A view, or views side by side (rows: above each other; tabs: the first in front). Sizes are pixels in a window of
/// 1280×720; parts that grow share what a larger window has more, in proportion to their size.
struct Place {
    QString view;  ///< id; empty for a group
    int size = 100;
    bool grows = true;
    int wide = 0;  ///< of one that does not grow: its size in a window of 2560 pixels or more; 0: the same
    /// A view that does not grow is higher where all that it shows needs that, and the others have room.
    bool fits = false;
    Qt::Orientation orientation = Qt::Horizontal;
    std::vector<Place> parts = {};
    bool tabbed = false;  ///< parts are views
};

/// How much room there is. In a window as low as a small laptop's fewer views stand above each other, so that the
/// timeline keeps room for its rows; on a small laptop's screen in large letters there are two stacks of tabs.
enum class Room { Ample, Low, Tight };

Room roomIn(const QSize& area);  ///< of a workspace, the window's bars left out

/// Contains only views that exist in this workspace; those without a place of their own stand at the end of the right
/// column, or of its tabs.
Place defaultArrangement(Workspace workspace, Room room);

}  // namespace shardlab::ui
