// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/legend.h"

#include "ui/core/theme.h"
#include "ui/core/words.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <numeric>

namespace shardlab::ui {

namespace {
QFont legendFont(const Theme& theme) { return theme.bodyAt(11); }
const QString ellipsis = QStringLiteral("…");
}  // namespace

void paintShape(QPainter& painter, LegendItem::Mark mark, const QRectF& box, const QColor& colour) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, mark != LegendItem::Mark::Square);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const QPointF centre = box.center();
    switch (mark) {
    case LegendItem::Mark::Triangle:
        painter.drawPolygon(
            QPolygonF({{box.left(), box.top() + 1}, {box.right(), box.top() + 1}, {centre.x(), box.bottom()}}));
        break;
    case LegendItem::Mark::Dot: painter.drawEllipse(box.adjusted(1, 1, -1, -1)); break;
    case LegendItem::Mark::Flag:
        painter.drawRect(QRectF(centre.x() - 0.75, box.top(), 1.5, box.height()));
        painter.drawPolygon(QPolygonF({{centre.x(), box.top()},
                                       {box.right() + 1, box.top() + box.height() * 0.3},
                                       {centre.x(), box.top() + box.height() * 0.6}}));
        break;
    case LegendItem::Mark::Cross:
        painter.setPen(QPen(colour, 2));
        painter.drawLine(box.topLeft() + QPointF(1, 1), box.bottomRight() - QPointF(1, 1));
        painter.drawLine(box.topRight() + QPointF(-1, 1), box.bottomLeft() + QPointF(1, -1));
        break;
    case LegendItem::Mark::Diamond:
        painter.drawPolygon(QPolygonF({{centre.x(), box.top()},
                                       {box.right(), centre.y()},
                                       {centre.x(), box.bottom()},
                                       {box.left(), centre.y()}}));
        break;
    case LegendItem::Mark::Bolt: {
        const auto at = [&](double x, double y) {
            return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
        };
        painter.drawPolygon(
            QPolygonF({at(0.75, 0), at(0.1, 0.6), at(0.45, 0.6), at(0.25, 1), at(0.9, 0.4), at(0.55, 0.4)}));
        break;
    }
    default: painter.drawRect(box); break;
    }
    painter.restore();
}

Legend::Legend(ThemeSource& theme, Qt::Alignment alignment, int mostLines, QWidget* parent)
    : QWidget(parent), theme_(theme), alignment_(alignment), mostLines_(mostLines) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFixedHeight(lineHeight());
    if (parent) parent->installEventFilter(this);
}

int Legend::mostLines() const {
    return parentWidget() ? std::clamp(parentWidget()->height() / (4 * lineHeight()), 1, mostLines_) : mostLines_;
}

bool Legend::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize) setFixedHeight(heightForWidth(width()));
    return QWidget::eventFilter(watched, event);
}

void Legend::setItems(std::vector<LegendItem> items) {
    items_ = std::move(items);
    QStringList names;
    for (const LegendItem& item : items_) names += item.text;
    setToolTip(names.join(QStringLiteral(", ")));
    setAccessibleName(tr("Legend: %1").arg(toolTip()));
    setFixedHeight(heightForWidth(width()));
    updateGeometry();
    update();
}

int Legend::scaled(int pixels) const { return theme_.theme().scaled(pixels); }

int Legend::widthOf(const LegendItem& item) const {
    return square() + gap() + QFontMetrics(legendFont(theme_.theme())).horizontalAdvance(item.text) + between();
}

int Legend::widthOfMore() const { return QFontMetrics(legendFont(theme_.theme())).horizontalAdvance(ellipsis); }

std::size_t Legend::shown(int width) const {
    const std::vector<std::size_t> counts = lines(width);
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

QSize Legend::sizeHint() const {
    int width = 0;
    for (const LegendItem& item : items_) width += widthOf(item);
    return {width, lineHeight()};
}

int Legend::heightForWidth(int width) const {
    return lineHeight() * std::max(1, static_cast<int>(lines(width).size()));
}

std::vector<std::size_t> Legend::lines(int width) const {
    std::vector<std::size_t> counts;
    std::size_t item = 0;
    const int most = mostLines();
    while (item < items_.size() && static_cast<int>(counts.size()) < most) {
        int used = 0;
        std::size_t count = 0;
        while (item + count < items_.size() && used + widthOf(items_[item + count]) - between() <= width)
            used += widthOf(items_[item + count++]);
        const bool cut = static_cast<int>(counts.size()) + 1 == most && item + count < items_.size();
        while (cut && count > 0 && used + widthOfMore() > width) used -= widthOf(items_[item + --count]);
        if (count == 0) {
            // The … stands at the end of the line above, or alone.
            if (counts.empty()) return {0};
            used = widthOfMore();
            for (std::size_t i = item - counts.back(); i < item; ++i) used += widthOf(items_[i]);
            while (counts.back() > 0 && used > width) used -= widthOf(items_[--item]), --counts.back();
            break;
        }
        counts.push_back(count);
        item += count;
    }
    return counts;
}

// Box layouts in boxes lose a height that depends on the width: the legend fixes its own.
void Legend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    setFixedHeight(heightForWidth(width()));
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(legendFont(theme_.theme()));
    std::size_t first = 0;
    int y = 0;
    const std::vector<std::size_t> counts = lines(width());
    const bool cut = shown(width()) < items_.size();
    for (const std::size_t count : counts) {
        const bool dotted = cut && y == (static_cast<int>(counts.size()) - 1) * lineHeight();
        int total = dotted ? widthOfMore() : -between();
        for (std::size_t i = first; i < first + count; ++i) total += widthOf(items_[i]);
        int x = alignment_ & Qt::AlignRight ? width() - total : 0;
        for (std::size_t i = first; i < first + count; ++i) {
            paintItem(painter, items_[i], x, y);
            x += widthOf(items_[i]);
        }
        if (dotted)
            painter.drawText(QRect(x, y, widthOfMore(), lineHeight()), Qt::AlignLeft | Qt::AlignVCenter, ellipsis);
        first += count;
        y += lineHeight();
    }
}

void Legend::paintItem(QPainter& painter, const LegendItem& item, int x, int y) const {
    const Theme& theme = theme_.theme();
    const QRect mark(x, y + (lineHeight() - square()) / 2, square(), square());
    switch (item.mark) {
    case LegendItem::Mark::Hatched:
        painter.fillRect(mark, item.colour);
        painter.fillRect(mark, QBrush(theme.dim, Qt::BDiagPattern));
        break;
    case LegendItem::Mark::Line:
    case LegendItem::Mark::Dashed:
        painter.setPen(QPen(item.colour, 2, item.mark == LegendItem::Mark::Line ? Qt::SolidLine : Qt::DotLine));
        painter.drawLine(mark.left(), mark.center().y(), mark.right() + 1, mark.center().y());
        break;
    case LegendItem::Mark::Outline:
        painter.setPen(item.colour);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(mark.adjusted(0, 0, -1, -1));
        break;
    default: paintShape(painter, item.mark, mark, item.colour); break;
    }
    painter.setPen(theme.dim);
    painter.drawText(QRect(x + square() + gap(), y, widthOf(item), lineHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                     item.text);
}

}  // namespace shardlab::ui
