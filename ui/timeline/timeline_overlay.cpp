// SPDX-License-Identifier: GPL-3.0-or-later
// What lies over a timeline and changes with the mouse: cursor, selection, arrows, markers, the measured area.
#include "engine/base/units.h"
#include "ui/core/event_search.h"
#include "ui/core/text.h"
#include "ui/timeline/dependencies.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/happening_marks.h"
#include "ui/timeline/path_overlay.h"
#include "ui/timeline/timeline_state.h"
#include "ui/core/words.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace shardlab::ui {

namespace {

void paintMarkers(QPainter& painter, const TimelineState& state, const HappeningMark& mark) {
    const QColor colour = state.theme.action(mark.kind);
    const int size = state.theme.scaled(markSize);
    for (const Event& event : shownHappenings(state.model, mark.kind, state.scale)) {
        const double x = state.scale.x(event.begin);
        if (mark.line) painter.fillRect(QRectF(std::floor(x), state.plot.top(), 1, state.plot.height()), colour);
        paintShape(painter, mark.shape, QRectF(x - size / 2.0, state.plot.top() - size - 1, size, size), colour);
    }
}

constexpr int overflowRim = 2;  ///< around an overflow's mark, for its outline

/// The mark of `size` and its rim, made once: there may be one a pixel in every row.
QPixmap overflowPicture(QSize size, const Theme& theme, double pixelRatio) {
    QPixmap picture((size + 2 * QSize(overflowRim, overflowRim)) * pixelRatio);
    picture.setDevicePixelRatio(pixelRatio);
    picture.fill(Qt::transparent);
    const QRect mark({overflowRim, overflowRim}, size);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.panel, 1.5));
    painter.setBrush(theme.action(EventKind::Overflow));
    painter.drawPolygon(QPolygonF({mark.topLeft(), mark.topRight(), QPointF(mark.center().x(), mark.bottom())}));
    return picture;
}

/// In the rows of the ranks that had them.
void paintOverflows(QPainter& painter, const TimelineState& state) {
    QPixmap picture;
    for (const Row& row : state.rows.visible()) {
        const QRect first = overflowMark(row, state.scale, state.scale.begin);
        if (first.bottom() < state.plot.top() || first.top() > state.plot.bottom()) continue;
        for (const Event& event : shownOverflows(state.model, row.rank, state.scale)) {
            if (picture.isNull())
                picture = overflowPicture(first.size(), state.theme, painter.device()->devicePixelRatioF());
            const QRect mark = overflowMark(row, state.scale, event.begin);
            painter.drawPixmap(mark.topLeft() - QPoint(overflowRim, overflowRim), picture);
        }
    }
}

void paintArea(QPainter& painter, const TimelineState& state) {
    const auto& area = state.selection.area();
    if (!area || area->end < state.scale.begin || area->begin > state.scale.end) return;
    const int left = static_cast<int>(std::max<double>(state.plot.left(), state.scale.x(area->begin)));
    const int right = static_cast<int>(std::min<double>(state.plot.right(), state.scale.x(area->end)));
    QColor fill = state.theme.accent;
    fill.setAlpha(45);
    const auto& only = state.selection.areaRanks();
    for (const Row& row : state.rows.visible())
        if (std::find(only.begin(), only.end(), row.rank) != only.end())
            painter.fillRect(QRect(left, row.top, std::max(1, right - left), row.height), fill);
    if (only.empty())
        painter.fillRect(QRect(left, state.plot.top(), std::max(1, right - left), state.plot.height()), fill);
    painter.setPen(state.theme.accent);
    painter.drawLine(left, state.plot.top(), left, state.plot.bottom());
    painter.drawLine(right, state.plot.top(), right, state.plot.bottom());

    double busy = 0;
    const std::vector<int>& ranks =
        state.selection.areaRanks().empty() ? state.rows.ranks() : state.selection.areaRanks();
    for (const int rank : ranks)
        busy += rank < state.model.ranks() ? state.index.busy(rank, area->begin, area->end) : 0;
    if (!ranks.empty()) busy /= static_cast<double>(ranks.size());
    QString text = tr("%1 · computing %2").arg(seconds(state.model, area->end - area->begin), percent(busy));
    const StepRange steps = stepsWithin(state.model, area->begin, area->end);
    const auto& all = state.model.steps().all();
    for (std::size_t step = steps.first; step < steps.last; ++step)
        if (!all[step].detailed()) {
            text = tr("%1 · not all of it has details").arg(seconds(state.model, area->end - area->begin));
            break;
        }
    const QFont font = state.theme.bodyAt(11);
    painter.setFont(font);
    const int width = QFontMetrics(font).horizontalAdvance(text) + 12;
    const int x = std::clamp((left + right - width) / 2, state.plot.left(),
                             std::max(state.plot.left(), state.plot.right() - width));
    const QRect box(x, state.plot.bottom() - state.theme.scaled(20), width, state.theme.scaled(18));
    painter.fillRect(box, state.theme.raised);
    painter.setPen(state.theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

/// A flag at each note, with as much of its text as there is room for.
void paintNotes(QPainter& painter, const TimelineState& state) {
    const auto& notes = state.model.notes().all();
    const auto before = [](const Note& note, std::int64_t time) { return note.time < time; };
    const QFont font = state.theme.bodyAt(9);
    painter.setFont(font);
    const QFontMetrics metrics(font);
    const int widest = state.theme.scaled(140), flag = state.theme.scaled(10);
    const int top = state.plot.top();
    for (auto note = std::lower_bound(notes.begin(), notes.end(), state.scale.begin, before);
         note != notes.end() && note->time <= state.scale.end; ++note) {
        const int x = static_cast<int>(state.scale.x(note->time));
        const int next =
            note + 1 == notes.end() ? state.plot.right() : static_cast<int>(state.scale.x((note + 1)->time));
        painter.setPen(QPen(state.theme.accent, 1, Qt::DashLine));
        painter.drawLine(x, top - flag, x, state.plot.bottom());
        const QString text =
            metrics.elidedText(QString::fromStdString(note->text), Qt::ElideRight, std::min(widest, next - x - 10));
        const int width = std::max(8, text.size() > 1 ? metrics.horizontalAdvance(text) + 6 : 0);
        painter.fillRect(QRect(x, top - flag, width, flag), state.theme.accent);
        painter.setPen(state.theme.onAccent);
        if (width > 8) painter.drawText(QRect(x + 3, top - flag, width, flag), Qt::AlignVCenter | Qt::AlignLeft, text);
    }
}

/// A stroke over each event that was looked for; of many at one pixel of a row, one.
void paintHits(QPainter& painter, const TimelineState& state) {
    if (!state.search || state.search->hits().empty()) return;
    const auto& hits = state.search->hits();
    const std::int64_t length = state.scale.end - state.scale.begin;
    const auto before = [](const Event& e, std::int64_t time) { return e.begin < time; };
    const auto first = std::lower_bound(hits.begin(), hits.end(), state.scale.begin - length, before);
    const auto last = std::lower_bound(first, hits.end(), state.scale.end, before);
    std::map<int, int> drawn;  // by rank: the last pixel
    for (auto hit = first; hit != last; ++hit) {
        const QRect rect = eventRect(state, *hit);
        if (rect.isEmpty()) continue;
        const auto [known, is_new] = drawn.try_emplace(hit->rank, rect.left());
        if (!is_new && std::exchange(known->second, rect.left()) == rect.left()) continue;
        painter.fillRect(QRect(rect.left(), rect.top() - 3, std::max(2, rect.width()), 3), state.theme.good);
        if (rect.width() >= 3) {
            painter.setPen(state.theme.good);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rect.adjusted(0, 0, -1, -1));
        }
    }
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
    const int size = state.theme.scaled(8);
    paintShape(painter, LegendItem::Mark::Triangle,
               QRectF(std::floor(x) - (size - 1) / 2.0, state.plot.top() - size, size, size), state.theme.text);
}

}  // namespace

void paintOverlay(QPainter& painter, const TimelineState& state) {
    if (state.model.empty()) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setClipRect(state.plot.adjusted(0, -state.theme.scaled(10), 0, 0));
    paintPath(painter, state);
    paintArea(painter, state);
    for (const HappeningMark& mark : happeningMarks) paintMarkers(painter, state, mark);
    paintOverflows(painter, state);
    paintHits(painter, state);
    paintNotes(painter, state);
    if (const auto& hovered = state.selection.hovered()) paintEventFrame(painter, state, *hovered, 1);
    if (const auto& selected = state.selection.event()) {
        paintEventFrame(painter, state, *selected, 2);
        for (const Dependency& dependency : dependencies(state.model, *selected))
            paintArrow(painter, state, dependency);
    }
    paintCursor(painter, state);
    if (state.ringed) {
        painter.setClipping(false);
        painter.setPen(state.theme.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(state.whole.adjusted(0, 0, -1, -1));
    }
    painter.restore();
}

}  // namespace shardlab::ui
