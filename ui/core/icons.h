// SPDX-License-Identifier: GPL-3.0-or-later
// Icons of resources/icons, drawn in a colour of the theme.
#pragma once

#include <QColor>
#include <QIcon>

namespace shardlab::ui {

/// `name` without ending; strokes of "currentColor" get `colour`, and `selected` where the icon is of a checked button.
QIcon icon(const char* name, const QColor& colour, const QColor& selected);
/// Makes ":/icons/…" known; for style sheets. The other functions do so themselves.
void useIcons();
/// The program's own, in its own colours.
QIcon programIcon();

}  // namespace shardlab::ui
