// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/order/order_grid.h"

#include "engine/trace/event/event.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace shardlab::ui {
namespace {}  // namespace

void OrderGrid::paintCell(QPainter& painter, int rank, const OrderCell& cell) const {
    const Theme& theme = theme_.theme();
    const QRect rect = rectOf(rank, cell);
    const bool missing = cell.position < 0;
    const QColor back = missing ? theme.panel : theme.action(eventKind(cell.action.kind));
    painter.fillRect(rect, back);
    painter.setPen(missing ? theme.bad : readableOn(back));
    painter.drawText(rect, Qt::AlignCenter, cell.text);
    const bool current = OrderPlace{rank, cell.position} == current_;
    if (!isWrong(rank, cell) && !current) return;
    QPen pen(current ? theme.text : theme.bad, 2, missing ? Qt::DashLine : Qt::SolidLine);
    pen.setJoinStyle(Qt::MiterJoin);
    painter.setBrush(Qt::NoBrush);
    if (isWrong(rank, cell)) {
        pen.setColor(theme.bad);
        // A colour alone would not do on a cell of much the same hue: the wrong cell is crossed too.
        painter.setPen(QPen(theme.panel, 4));
        painter.drawRect(rect.adjusted(1, 1, -1, -1));
        painter.setPen(pen);
        painter.drawRect(rect.adjusted(1, 1, -1, -1));
        painter.drawLine(rect.bottomLeft() + QPoint(2, -2), rect.topRight() + QPoint(-2, 2));
    }
    if (!current) return;
    pen.setColor(theme.text);
    painter.setPen(pen);
    painter.drawRect(rect.adjusted(1, 1, -1, -1));
}

void OrderGrid::paintRow(QPainter& painter, int rank, const QRect& exposed) const {
    const Theme& theme = theme_.theme();
    const auto& row = cells_.ranks[static_cast<std::size_t>(rank)];
    const QRect whole(headWidth_, rank * rowHeight + 2, cells_.slots * slotWidth_ - 1, rowHeight - 3);
    painter.fillRect(whole & exposed, theme.panel);
    painter.fillRect(whole & exposed, QBrush(theme.idle, Qt::BDiagPattern));
    const int firstSlot = std::max(0, (exposed.left() - headWidth_) / slotWidth_);
    for (auto cell = std::ranges::lower_bound(row, firstSlot, {}, &OrderCell::end); cell != row.end(); ++cell) {
        if (rectOf(rank, *cell).left() > exposed.right()) break;
        paintCell(painter, rank, *cell);
    }
}

void OrderGrid::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const Theme& theme = theme_.theme();
    const QRect exposed = event->rect();
    QFont mono = theme.mono;
    mono.setPixelSize(11);
    painter.setFont(mono);
    const int first = std::max(0, exposed.top() / rowHeight);
    const int last = std::min(static_cast<int>(cells_.ranks.size()) - 1, exposed.bottom() / rowHeight);
    for (int rank = first; rank <= last; ++rank) paintRow(painter, rank, exposed);
    // Over the cells that are scrolled past, the ranks' names stay at the left edge of what is seen.
    const int left = visibleRegion().boundingRect().left();
    const QRect heads(left, exposed.top(), headWidth_, exposed.height());
    if (!heads.intersects(exposed)) return;
    painter.fillRect(heads.adjusted(0, 0, -2, 0), theme.panel);
    for (int rank = first; rank <= last; ++rank) {
        painter.setPen(rank == current_.rank ? theme.text : theme.dim);
        painter.drawText(QRect(left, rank * rowHeight, headWidth_ - 8, rowHeight), Qt::AlignRight | Qt::AlignVCenter,
                         tr("pp%1").arg(rank));
    }
}

}  // namespace shardlab::ui
