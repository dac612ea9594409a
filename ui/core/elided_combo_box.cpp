// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/elided_combo_box.h"

#include <QHelpEvent>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QToolTip>

namespace shardlab::ui {

QString ElidedComboBox::shown() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QRect room = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    return fontMetrics().elidedText(currentText(), Qt::ElideRight, room.width());
}

bool ElidedComboBox::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || shown() == currentText()) return QComboBox::event(event);
    const QString help = toolTip().isEmpty() ? QString() : QLatin1Char('\n') + toolTip();
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), currentText() + help, this);
    return true;
}

void ElidedComboBox::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    option.currentText = shown();
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace shardlab::ui
