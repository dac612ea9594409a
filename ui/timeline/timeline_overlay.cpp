// SPDX-License-Identifier: GPL-3.0-or-later
// What lies over a timeline and changes with the mouse: cursor, selection, arrows, markers, the measured area.
#include "engine/base/units.h"
#include "ui/timeline/dependencies.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/path_overlay.h"
#include "ui/timeline/timeline_state.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace shardlab {

namespace {

void paintTriangle(QPainter& painter, double x, int top, const QColor& colour) {
    QPainterPath path;
    path.moveTo(x - 4, top);
    path.lineTo(x + 4, top);
    path.lineTo(x, top + 7);
    path.closeSubpath();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.fillPath(path, colour);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// One triangle a pixel at most, however many there are.
void paintMarkers(QPainter& painter, const TimelineState& state, const std::vector<Event>& events, const QColor* colour) {
    auto event = std::lower_bound(events.begin(), events.end(), state.scale.begin,
                                  [](const Event& e, std::int64_t time) { return e.begin < time; });
    while (event != events.end() && event->begin <= state.scale.end) {
        const double x = state.scale.x(event->begin);
        paintTriangle(painter, x, state.plot.top() - 8, colour ? *colour : state.theme.action(event->kind));
        const std::int64_t next = state.scale.time(x + 1);
        event = std::lower_bound(event + 1, events.end(), next, [](const Event& e, std::int64_t time) { return e.begin < time; });
    }
}

void paintArea(QPainter& painter, const TimelineState& state) {
    const auto& area = state.selection.area();
    if (!area || area->end < state.scale.begin || area->begin > state.scale.end) return;
    const int left = static_cast<int>(std::max<double>(state.plot.left(), state.scale.x(area->begin)));
    const int right = static_cast<int>(std::min<double>(state.plot.right(), state.scale.x(area->end)));
    QColor fill = state.theme.accent;
    fill.setAlpha(45);
    painter.fillRect(QRect(left, state.plot.top(), std::max(1, right - left), state.plot.height()), fill);
    painter.setPen(state.theme.accent);
    painter.drawLine(left, state.plot.top(), left, state.plot.bottom());
    painter.drawLine(right, state.plot.top(), right, state.plot.bottom());

    double busy = 0;
    for (const int rank : state.rows.ranks()) busy += state.index.busy(rank, area->begin, area->end);
    if (!state.rows.ranks().empty()) busy /= static_cast<double>(state.rows.ranks().size());
    const QString text = QStringLiteral("%1 · computing %2").arg(
        QString::fromStdString(formatSeconds(static_cast<double>(area->end - area->begin) * 1e-9)),
        QString::fromStdString(formatPercent(busy)));
    QFont font = state.theme.body;
    font.setPixelSize(11);
    painter.setFont(font);
    const int width = QFontMetrics(font).horizontalAdvance(text) + 12;
    const int x = std::clamp((left + right - width) / 2, state.plot.left(), std::max(state.plot.left(), state.plot.right() - width));
    const QRect box(x, state.plot.bottom() - 20, width, 18);
    painter.fillRect(box, state.theme.raised);
    painter.setPen(state.theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

void paintArrow(QPainter& painter, const TimelineState& state, const Dependency& dependency) {
    const auto anchor = [&](const Event& event, std::int64_t time) -> std::optional<QPointF> {
        const int position = state.rows.positionOf(event.rank);
        if (position < 0) return {};
        const Row row = state.rows.row(position);
        return QPointF(state.scale.x(time), row.barTop + row.barHeight / 2.0);
    };
    const auto from = anchor(dependency.from, dependency.from.begin);
    const auto to = anchor(dependency.to, dependency.to.begin);
    if (!from || !to) return;
    const double bend = std::max(12.0, (to->x() - from->x()) / 2);
    QPainterPath path(*from);
    path.cubicTo(*from + QPointF(bend, 0), *to - QPointF(bend, 0), *to);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(state.theme.panel, 4));
    painter.drawPath(path);
    painter.setPen(QPen(state.theme.text, 1.6));
    painter.drawPath(path);
    QPainterPath head;
    head.moveTo(*to);
    head.lineTo(*to + QPointF(-7, -4));
    head.lineTo(*to + QPointF(-7, 4));
    head.closeSubpath();
    painter.fillPath(head, state.theme.text);
    painter.setBrush(state.theme.text);
    painter.drawEllipse(*from, 2.5, 2.5);
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintEventFrame(QPainter& painter, const TimelineState& state, const Event& event, int width) {
    const QRect rect = eventRect(state, event);
    if (rect.isNull()) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(state.theme.text, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    const int grow = width > 1 ? 1 : 0;
    painter.drawRect(rect.adjusted(-grow, -grow, grow - 1, grow - 1));
}

void paintCursor(QPainter& painter, const TimelineState& state) {
    const std::int64_t cursor = state.selection.cursor();
    if (cursor < 0) return;
    const double x = state.scale.x(cursor);
    if (state.workspace == Workspace::Replay && x < state.plot.right()) {  // what is yet to come
        QColor shade = state.theme.panel;
        shade.setAlpha(120);
        const int left = std::max(state.plot.left(), static_cast<int>(x) + 1);
        painter.fillRect(QRect(left, state.plot.top(), state.plot.right() - left + 1, state.plot.height()), shade);
    }
    if (x < state.plot.left() || x > state.plot.right()) return;
    painter.setPen(state.theme.text);
    painter.drawLine(static_cast<int>(x), state.plot.top(), static_cast<int>(x), state.plot.bottom());
    paintTriangle(painter, std::floor(x) + 0.5, state.plot.top() - 7, state.theme.text);
}

}  // namespace

void paintOverlay(QPainter& painter, const TimelineState& state) {
    if (state.model.empty()) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setClipRect(state.plot.adjusted(0, -10, 0, 0));
    paintPath(painter, state);
    paintArea(painter, state);
    const QColor validation = state.theme.action(EventKind::ValidationLoss);
    paintMarkers(painter, state, state.model.counters(EventKind::ValidationLoss), &validation);
    paintMarkers(painter, state, state.model.instants(), nullptr);
    if (const auto& hovered = state.selection.hovered()) paintEventFrame(painter, state, *hovered, 1);
    if (const auto& selected = state.selection.event()) {
        paintEventFrame(painter, state, *selected, 2);
        for (const Dependency& dependency : dependencies(state.model, *selected)) paintArrow(painter, state, dependency);
    }
    paintCursor(painter, state);
    painter.restore();
}

}  // namespace shardlab
