// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/plain_labels.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLabel>

namespace shardlab::ui {

PlainLabels::PlainLabels(QObject* parent) : QObject(parent) { QCoreApplication::instance()->installEventFilter(this); }

/// A tooltip is a label too. Every label is polished before it is first measured or shown.
bool PlainLabels::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Polish)
        if (auto* label = qobject_cast<QLabel*>(watched); label && label->textFormat() == Qt::AutoText)
            label->setTextFormat(Qt::PlainText);
    return QObject::eventFilter(watched, event);
}

}  // namespace shardlab::ui
