// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that are looked at by a click and taken by a double click or Enter, and rows that a field beside them filters.
#pragma once

#include <functional>

class QAbstractItemView;
class QModelIndex;
class QWidget;

namespace shardlab::ui {

/// Calls `take` with the row that a person double-clicks, or with the current one at Enter. A single click never takes:
/// activated() comes with one where the desktop opens things that way.
void onTaken(QAbstractItemView& view, std::function<void(const QModelIndex&)> take);

/// The arrows up and down, pressed while `field` has the keyboard, go through the rows of `view` that can be selected.
void walkFrom(QWidget& field, QAbstractItemView& view);

}  // namespace shardlab::ui
