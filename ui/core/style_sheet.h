// SPDX-License-Identifier: GPL-3.0-or-later
// The one style sheet of the desktop, made from a theme. Widgets choose a look by the dynamic property "role":
//   QLabel       dim, section, title, figure, good, warning, bad, chip
//   QPushButton  primary, flat
//   QListView    rows: they draw themselves which of them has the keyboard
//   QFrame       panel, topBar, rail, statusLine, message, task
// fields by the boolean properties "faulty" and "subdued", and frames of views by "focused".
#pragma once

#include <QString>

class QWidget;

namespace shardlab::ui {

struct Theme;

QString styleSheet(const Theme& theme);

/// Sets "role" and has the style look again.
void setRole(QWidget& widget, const char* role);
/// Marks a field as holding a fault.
void setFaulty(QWidget& widget, bool faulty);
/// Draws a frame as one that has the keyboard.
void setFocused(QWidget& widget, bool focused);
/// Draws a field, or its label, as one that changes nothing; it can be edited all the same.
void setSubdued(QWidget& widget, bool subdued);

}  // namespace shardlab::ui
