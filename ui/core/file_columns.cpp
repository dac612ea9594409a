// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/file_columns.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QTreeView>

#include <algorithm>

namespace shardlab::ui {
namespace {

void widen(QFileDialog& dialog) {
    // A dialog of the system has no such list.
    auto* files = dialog.findChild<QTreeView*>(QStringLiteral("treeView"));
    if (!files || files->header()->count() == 0) return;
    QHeaderView& header = *files->header();
    header.setStretchLastSection(false);
    header.setSectionResizeMode(QHeaderView::ResizeToContents);
    header.setSectionResizeMode(0, QHeaderView::Stretch);
    dialog.resize(std::max(dialog.width(), FileColumns::width), dialog.height());
}

}  // namespace

FileColumns::FileColumns(QObject* parent) : QObject(parent) { QCoreApplication::instance()->installEventFilter(this); }

bool FileColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show)
        if (auto* dialog = qobject_cast<QFileDialog*>(watched)) widen(*dialog);
    return QObject::eventFilter(watched, event);
}

}  // namespace shardlab::ui
