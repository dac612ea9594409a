// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that are looked at by a click and taken by a double click or Enter.
#pragma once

#include <functional>

class QAbstractItemView;
class QModelIndex;

namespace shardlab::ui {

/// Calls `take` with the row that a person double-clicks, or with the current one at Enter. A single click never takes:
/// activated() comes with one where the desktop opens things that way.
void onTaken(QAbstractItemView& view, std::function<void(const QModelIndex&)> take);

}  // namespace shardlab::ui
