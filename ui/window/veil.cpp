// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/veil.h"

#include <QEvent>
#include <QPainter>

namespace shardlab::ui {
namespace {

constexpr double covered = 0.55;  ///< share of the panel's colour in what shows

}  // namespace

Veil::Veil(QWidget* below, const ThemeSource& theme) : QWidget(below), theme_(theme) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
    below->installEventFilter(this);
    connect(&theme, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

bool Veil::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize) setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

void Veil::showEvent(QShowEvent* event) {
    setGeometry(parentWidget()->rect());
    raise();
    QWidget::showEvent(event);
}

void Veil::paintEvent(QPaintEvent*) {
    QColor colour = theme_.theme().panel;
    colour.setAlphaF(covered);
    QPainter(this).fillRect(rect(), colour);
}

}  // namespace shardlab::ui
