// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/cards/card.h"

#include "ui/core/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace shardlab {

Card::Card(ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void Card::setFigure(const CardFigure& figure) {
    setAccessibleName(figure.title + QStringLiteral(": ") + figure.value + (figure.detail.isEmpty() ? QString() : QStringLiteral(", ") + figure.detail));
    setToolTip(figure.help);
    if (figure.title == figure_.title && figure.value == figure_.value && figure.detail == figure_.detail) return;
    figure_ = figure;
    update();
}

void Card::paintEvent(QPaintEvent*) {
    const Theme& theme = theme_.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.border);
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);

    const QRect inner = rect().adjusted(12, 7, -8, -7);
    QFont small = theme.body;
    small.setPixelSize(11);
    QFont value = theme.mono;
    value.setPixelSize(inner.width() < 110 ? 15 : 18);
    QFont detail = theme.mono;
    detail.setPixelSize(11);
    painter.setFont(small);
    painter.setPen(theme.dim);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop, QFontMetrics(small).elidedText(figure_.title, Qt::ElideRight, inner.width()));

    const int valueWidth = QFontMetrics(value).horizontalAdvance(figure_.value);
    const int detailWidth = QFontMetrics(detail).horizontalAdvance(figure_.detail);
    const bool beside = valueWidth + 8 + detailWidth <= inner.width();
    const int rest = inner.height() - QFontMetrics(small).height();
    const int titleBottom = inner.top() + QFontMetrics(small).height();
    const int valueBase = beside || figure_.detail.isEmpty() ? titleBottom + (rest + QFontMetrics(value).ascent()) / 2
                                                             : titleBottom + (rest - QFontMetrics(detail).height() + QFontMetrics(value).ascent()) / 2 + 1;
    painter.setFont(value);
    painter.setPen(theme.text);
    painter.drawText(inner.left(), valueBase, QFontMetrics(value).elidedText(figure_.value, Qt::ElideRight, inner.width()));
    painter.setFont(detail);
    painter.setPen(theme.dim);
    if (beside) painter.drawText(inner.left() + valueWidth + 8, valueBase, figure_.detail);
    else painter.drawText(QRect(inner.left(), inner.top(), inner.width(), inner.height()), Qt::AlignLeft | Qt::AlignBottom,
                          QFontMetrics(detail).elidedText(figure_.detail, Qt::ElideRight, inner.width()));
}

}  // namespace shardlab
