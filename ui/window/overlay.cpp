// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/overlay.h"

#include "ui/core/child.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

namespace shardlab::ui {

Overlay::Overlay(QWidget* window) : QFrame(window) {
    setProperty("role", "overlay");
    setFocusPolicy(Qt::StrongFocus);
    setAutoFillBackground(true);
    hide();
}

void Overlay::open() {
    for (Overlay* other : window()->findChildren<Overlay*>())
        if (other != this) other->dismiss();
    if (!isVisible()) before_ = QApplication::focusWidget();
    setGeometry(place(window()->size()));
    show();
    raise();
    setFocus();
    opened();
    qApp->installEventFilter(this);
}

void Overlay::dismiss() {
    if (!isVisible()) return;
    qApp->removeEventFilter(this);
    hide();
    if (before_) before_->setFocus(Qt::PopupFocusReason);
}

void Overlay::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) dismiss();
    else QFrame::keyPressEvent(event);
}

bool Overlay::eventFilter(QObject* watched, QEvent* event) {
    if (watched == window() && event->type() == QEvent::Resize) setGeometry(place(window()->size()));
    if (event->type() == QEvent::MouseButtonPress) {
        auto* widget = qobject_cast<QWidget*>(watched);
        if (widget && widget != this && !isAncestorOf(widget)) dismiss();
    }
    return QFrame::eventFilter(watched, event);
}

QVBoxLayout* Overlay::explained(const QString& what, const QString& how) {
    setAccessibleName(what);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(10);
    auto* title = child<QLabel>(what, this);
    title->setProperty("role", "brand");
    column->addWidget(title);
    auto* text = child<QLabel>(how, this);
    text->setProperty("role", "small");
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(text);
    return column;
}

}  // namespace shardlab::ui
