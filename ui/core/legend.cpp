// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/legend.h"

#include "ui/core/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace shardlab {

namespace {
constexpr int square = 9;
constexpr int gap = 5;
constexpr int between = 14;

QFont legendFont(const Theme& theme) {
    QFont font = theme.body;
    font.setPixelSize(11);
    return font;
}
}  // namespace

Legend::Legend(ThemeSource& theme, Qt::Alignment alignment, QWidget* parent)
    : QWidget(parent), theme_(theme), alignment_(alignment) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void Legend::setItems(std::vector<LegendItem> items) {
    items_ = std::move(items);
    QStringList names;
    for (const LegendItem& item : items_) names += item.text;
    setToolTip(names.join(QStringLiteral(", ")));
    setAccessibleName(QStringLiteral("Legend: ") + toolTip());
    updateGeometry();
    update();
}

int Legend::widthOf(const LegendItem& item) const {
    return square + gap + QFontMetrics(legendFont(theme_.theme())).horizontalAdvance(item.text) + between;
}

QSize Legend::sizeHint() const {
    int width = 0;
    for (const LegendItem& item : items_) width += widthOf(item);
    return {width, 18};
}

void Legend::paintEvent(QPaintEvent*) {
    const Theme& theme = theme_.theme();
    QPainter painter(this);
    painter.setFont(legendFont(theme));
    int total = 0;
    std::size_t shown = 0;
    while (shown < items_.size() && total + widthOf(items_[shown]) - between <= width()) total += widthOf(items_[shown++]);
    int x = alignment_ & Qt::AlignRight ? width() - total + between : 0;
    for (std::size_t i = 0; i < shown; ++i) {
        const LegendItem& item = items_[i];
        const QRect mark(x, (height() - square) / 2, square, square);
        switch (item.mark) {
            case LegendItem::Mark::Square: painter.fillRect(mark, item.colour); break;
            case LegendItem::Mark::Hatched:
                painter.fillRect(mark, item.colour);
                painter.fillRect(mark, QBrush(theme.dim, Qt::BDiagPattern));
                break;
            case LegendItem::Mark::Line:
            case LegendItem::Mark::Dashed:
                painter.setPen(QPen(item.colour, 2, item.mark == LegendItem::Mark::Line ? Qt::SolidLine : Qt::DotLine));
                painter.drawLine(mark.left(), mark.center().y(), mark.right() + 1, mark.center().y());
                break;
        }
        painter.setPen(theme.dim);
        painter.drawText(QRect(x + square + gap, 0, widthOf(item), height()), Qt::AlignLeft | Qt::AlignVCenter, item.text);
        x += widthOf(item);
    }
}

}  // namespace shardlab
