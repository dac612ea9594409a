// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/unit_line.h"

#include <QEvent>
#include <QPainter>
#include <QStyle>
#include <QStyleOptionFrame>
#include <QTimer>

namespace shardlab::ui {
namespace {

constexpr int gap = 6;
constexpr int border = 8;     ///< of the style sheet, and its padding
constexpr int ownMargin = 2;  ///< of QLineEdit, left and right of its text

}  // namespace

void UnitLine::setUnit(const QString& unit) {
    unit_ = unit;
    makeRoom();
}

void UnitLine::makeRoom() {
    setTextMargins(0, 0, unit_.isEmpty() ? 0 : QFontMetrics(font()).horizontalAdvance(unit_) + gap, 0);
}

void UnitLine::changeEvent(QEvent* event) {
    QLineEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) makeRoom();
}

void UnitLine::focusInEvent(QFocusEvent* event) {
    QLineEdit::focusInEvent(event);
    if (!word_.isEmpty() && text() == word_) QTimer::singleShot(0, this, &QLineEdit::selectAll);  // after the click
}

void UnitLine::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    // A right-aligned text that fitted and no longer does is scrolled out of sight; the next painting puts it right.
    QStyleOptionFrame option;
    initStyleOption(&option);
    const int room = style()->subElementRect(QStyle::SE_LineEditContents, &option, this).width();
    const int margins = textMargins().left() + textMargins().right() + 2 * ownMargin;
    if (fontMetrics().horizontalAdvance(text()) >= room - margins) QLineEdit::paintEvent(event);
    if (unit_.isEmpty()) return;
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect().adjusted(0, 0, -border, 0), Qt::AlignRight | Qt::AlignVCenter, unit_);
}

}  // namespace shardlab::ui
