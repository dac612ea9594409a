// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/elided_label.h"

#include <QPainter>
#include <QStyle>

namespace shardlab {

QSize ElidedLabel::minimumSizeHint() const { return {0, QLabel::minimumSizeHint().height()}; }

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, width());
    if (const QString whole = shown == text() ? QString() : text(); toolTip() != whole) setToolTip(whole);
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(), isEnabled(), shown,
                          foregroundRole());
}

}  // namespace shardlab
