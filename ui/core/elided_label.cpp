// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/elided_label.h"

#include <QPainter>
#include <QStyle>
#include <QTextLayout>

#include <algorithm>

namespace shardlab::ui {

namespace {

/// The text's lines within a width; the last is what is left where there are too many, on one line.
QStringList lines(const QString& text, const QFont& font, int width, int most) {
    QTextLayout layout(text, font);
    QStringList all;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        if (all.size() + 1 == most) {
            all << text.mid(line.textStart());
            break;
        }
        all << text.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    return all;
}

}  // namespace

QSize ElidedLabel::minimumSizeHint() const {
    return {0, wordWrap() ? fontMetrics().height() : QLabel::minimumSizeHint().height()};
}

int ElidedLabel::heightForWidth(int width) const {
    if (!wordWrap()) return QLabel::heightForWidth(width);
    return fontMetrics().height() * std::max<int>(1, static_cast<int>(lines(text(), font(), width, mostLines).size()));
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QStringList rows = wordWrap() ? lines(text(), font(), width(), mostLines) : QStringList(text());
    bool cut = false;
    if (!rows.isEmpty()) {
        const QString last = fontMetrics().elidedText(rows.back(), Qt::ElideRight, width());
        cut = last != rows.back();
        rows.back() = last;
    }
    const QString shown = rows.join(QLatin1Char('\n'));
    if (const QString whole = cut ? text() : QString(); toolTip() != whole) setToolTip(whole);
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(), isEnabled(), shown,
                          foregroundRole());
}

}  // namespace shardlab::ui
