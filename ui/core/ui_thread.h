// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QMetaObject>

#include <utility>

namespace shardlab::ui {

/// Has the thread of the user interface do `work` in its next turn; called from any thread. Nothing happens once the
/// application has ended.
template <class Work>
void onUserInterface(Work&& work) {
    if (qApp) QMetaObject::invokeMethod(qApp, std::forward<Work>(work), Qt::QueuedConnection);
}

}  // namespace shardlab::ui
