// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/figures/card.h"

#include "ui/core/theme.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace shardlab::ui {

constexpr int lineGap = 4;         ///< pixels between the value and what stands above and below it
constexpr int smallestValue = 10;  ///< pixels of a value's letters

Card::Card(ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void Card::setFigure(const CardFigure& figure) {
    setAccessibleName(figure.title + QStringLiteral(": ") + figure.value +
                      (figure.detail.isEmpty() ? QString() : QStringLiteral(", ") + figure.detail));
    setToolTip(figure.help);
    if (figure.title == figure_.title && figure.value == figure_.value && figure.detail == figure_.detail) return;
    figure_ = figure;
    update();
}

QFont Card::valueFont() const {
    QFont font = theme_.theme().mono;
    // A number that is cut is no number: it becomes smaller first.
    int size = narrow() ? 15 : 18;
    do font.setPixelSize(size);
    while (QFontMetrics(font).horizontalAdvance(figure_.value) > inner().width() && --size >= smallestValue);
    return font;
}

QFont Card::detailFont() const {
    QFont font = theme_.theme().mono;
    font.setPixelSize(narrow() ? 10 : 11);
    return font;
}

bool Card::fitsBeside() const {
    return QFontMetrics(valueFont()).horizontalAdvance(figure_.value) + 8 +
               QFontMetrics(detailFont()).horizontalAdvance(figure_.detail) <=
           inner().width();
}

void Card::setBeside(bool beside) {
    if (beside_ == beside) return;
    beside_ = beside;
    update();
}

QString Card::shownDetail() const {
    const QFontMetrics metrics(detailFont());
    QString shown = figure_.detail;
    // Words give way from the left, as the number stands behind them: "grad norm 4.31e-05", "norm 4.31e-05".
    while (metrics.horizontalAdvance(shown) > inner().width() && !shown.front().isDigit() &&
           shown.contains(QLatin1Char(' ')))
        shown = shown.section(QLatin1Char(' '), 1);
    return metrics.elidedText(shown, Qt::ElideRight, inner().width());
}

QString Card::shownValue() const {
    return QFontMetrics(valueFont()).elidedText(figure_.value, Qt::ElideRight, inner().width());
}

void Card::paintEvent(QPaintEvent*) {
    const Theme& theme = theme_.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.border);
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);

    const QRect area = inner();
    QFont small = theme.body;
    small.setPixelSize(11);
    const QFontMetrics titles(small), values(valueFont()), details(detailFont());
    painter.setFont(small);
    painter.setPen(theme.dim);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignTop,
                     titles.elidedText(figure_.title, Qt::ElideRight, area.width()));

    const int titleBottom = area.top() + titles.height();
    const int below = beside_ ? 0 : lineGap + details.height();
    const int base = titleBottom +
                     std::max(lineGap, (area.bottom() + 1 - titleBottom - values.capHeight() - below) / 2) +
                     values.capHeight();
    painter.setFont(valueFont());
    painter.setPen(theme.text);
    painter.drawText(area.left(), base, shownValue());
    painter.setFont(detailFont());
    painter.setPen(theme.dim);
    if (beside_) painter.drawText(area.left() + values.horizontalAdvance(figure_.value) + 8, base, figure_.detail);
    else painter.drawText(area.left(), base + lineGap + details.ascent(), shownDetail());
}

}  // namespace shardlab::ui
