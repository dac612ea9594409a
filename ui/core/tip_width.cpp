// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/tip_width.h"

#include <QCoreApplication>
#include <QCursor>
#include <QEvent>
#include <QLabel>
#include <QScreen>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int below = 18;  ///< pixels between the pointer and a tip that had to be placed anew

void wrap(QLabel& tip) {
    if (tip.width() <= TipWidth::most) return;
    tip.setWordWrap(true);
    tip.resize(TipWidth::most, std::max(1, tip.heightForWidth(TipWidth::most)));
    // It was placed for the width that it had.
    const QRect room = tip.screen()->availableGeometry();
    const QPoint pointer = QCursor::pos();
    QPoint at(pointer.x() + 2, pointer.y() + below);
    if (at.y() + tip.height() > room.bottom()) at.setY(pointer.y() - tip.height() - below / 2);
    tip.move(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - tip.width())),
             std::clamp(at.y(), room.top(), std::max(room.top(), room.bottom() - tip.height())));
}

}  // namespace

TipWidth::TipWidth(QObject* parent) : QObject(parent) { QCoreApplication::instance()->installEventFilter(this); }

bool TipWidth::eventFilter(QObject* watched, QEvent* event) {
    // Shown for the first time, and with another text while it is shown.
    if ((event->type() == QEvent::Show || event->type() == QEvent::Resize) && watched->inherits("QTipLabel"))
        wrap(*static_cast<QLabel*>(watched));
    return QObject::eventFilter(watched, event);
}

}  // namespace shardlab::ui
