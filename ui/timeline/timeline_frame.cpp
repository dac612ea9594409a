// SPDX-License-Identifier: GPL-3.0-or-later
// Time labels, grid, step numbers and rank labels of a timeline.
#include "engine/layout/mesh.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/time_ticks.h"
#include "ui/timeline/timeline_state.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardlab {

namespace {

QFont rankFont(const Theme& theme) {
    QFont font = theme.body;
    font.setPixelSize(12);
    return font;
}

QFont placeFont(const Theme& theme) {
    QFont font = theme.mono;
    font.setPixelSize(10);
    return font;
}

void paintTimes(QPainter& painter, const TimelineState& state) {
    const QRect& plot = state.plot;
    QFont font = state.theme.body;
    font.setPixelSize(11);
    painter.setFont(font);
    const QFontMetrics metrics(font);
    const auto width = [&metrics](const QString& label) { return metrics.horizontalAdvance(label); };
    for (const TimeTick& tick : timeTicksWithin(state.scale.begin, state.scale.end, plot.width(), width)) {
        const int x = static_cast<int>(std::floor(state.scale.x(tick.time)));
        painter.setPen(state.theme.grid);
        painter.drawLine(x, plot.top(), x, plot.bottom());
        if (x + 3 + width(tick.label) > state.whole.right()) continue;
        painter.setPen(state.theme.dim);
        painter.drawText(x + 3, state.whole.top() + metrics.ascent() + 3, tick.label);
    }
}

void paintSteps(QPainter& painter, const TimelineState& state) {
    if (showsPrediction(state.model)) return;
    const StepRange steps = stepsWithin(state.model, state.scale.begin, state.scale.end);
    const QFontMetrics metrics(painter.font());
    const auto& extents = state.model.stepExtents();
    const std::size_t stride = std::max<std::size_t>(1, (steps.last - steps.first) / static_cast<std::size_t>(std::max(1, state.plot.width() / 8)));
    QColor line = state.theme.dim;
    line.setAlpha(stride > 1 ? 0 : 110);
    int free = state.plot.left();
    for (std::size_t i = steps.first; i < steps.last; i += stride) {
        if (extents[i].begin < 0) continue;
        const double at = state.scale.x(extents[i].begin);
        if (at >= state.plot.left() && line.alpha() > 0) {
            painter.setPen(line);
            painter.drawLine(static_cast<int>(at), state.plot.top() - 12, static_cast<int>(at), state.plot.bottom());
        }
        const QString label = QStringLiteral("step %1").arg(extents[i].step);
        const int x = std::max(state.plot.left(), static_cast<int>(at));
        const int width = metrics.horizontalAdvance(label);
        const double next = i + 1 < extents.size() ? state.scale.x(extents[i + 1].begin) : state.whole.right();
        if (x < free || x + width + 4 > state.whole.right() || (at < state.plot.left() && x + width + 4 > next)) continue;
        painter.setPen(state.theme.dim);
        painter.drawText(x + 3, state.plot.top() - metrics.descent() - 1, label);
        free = x + width + 12;
    }
}

/// A line where another group of ranks begins, and below those that are pinned; a bar beside each of these.
void paintGroups(QPainter& painter, const TimelineState& state) {
    const auto& axis = state.selection.grouping();
    const int pinned = state.rows.pinned();
    if ((!axis && pinned == 0) || state.model.empty()) return;
    const Mesh mesh(state.model.header().layout);
    const std::vector<Row> rows = state.rows.visible();
    painter.setClipRect(QRect(state.whole.left(), state.plot.top(), state.whole.width(), state.plot.height()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool isPinned = static_cast<int>(i) < pinned;
        if (isPinned) painter.fillRect(QRect(state.whole.left() + 2, rows[i].barTop - rows[i].bandHeight, 3, rows[i].barHeight + rows[i].bandHeight), state.theme.accent);
        if (i == 0) continue;
        const bool another = axis && mesh.coordinate(rows[i].rank, *axis) != mesh.coordinate(rows[i - 1].rank, *axis);
        if (static_cast<int>(i) != pinned && (!another || isPinned)) continue;
        painter.setPen(QPen(state.theme.dim, 1));
        painter.drawLine(state.whole.left() + 4, rows[i].top, state.plot.right(), rows[i].top);
    }
    painter.setClipping(false);
}

void paintRanks(QPainter& painter, const TimelineState& state) {
    const int right = state.plot.left() - 8;
    const int left = state.whole.left() + 10;
    const QFont name = rankFont(state.theme);
    paintGroups(painter, state);
    const QFont place = placeFont(state.theme);
    painter.setClipRect(QRect(state.whole.left(), state.plot.top(), state.plot.left() - state.whole.left(), state.plot.height()));
    for (const Row& row : state.rows.visible()) {
        const bool chosen = state.selection.rank() == row.rank;
        const QString label = QString::fromStdString(state.model.label(row.rank));
        const QString title = QStringLiteral("rank %1").arg(row.rank);
        const bool twoLines = row.height >= 34 && !label.isEmpty();
        QRect upper(left, row.barTop - row.bandHeight, right - left, row.barHeight + row.bandHeight);
        if (chosen) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(state.theme.raised);
            painter.drawRect(QRect(state.whole.left() + 4, upper.top() - 1, right - state.whole.left(), upper.height() + 2));
        }
        if (twoLines) {
            const QRect lower(upper.left(), upper.center().y() + 1, upper.width(), 14);
            upper.setBottom(upper.center().y());
            painter.setFont(place);
            painter.setPen(state.theme.dim);
            painter.drawText(lower, Qt::AlignLeft | Qt::AlignTop | Qt::TextSingleLine,
                             QFontMetrics(place).elidedText(label, Qt::ElideRight, lower.width()));
            painter.setFont(name);
            painter.setPen(state.theme.text);
            painter.drawText(upper, Qt::AlignLeft | Qt::AlignBottom | Qt::TextSingleLine, title);
        } else {
            painter.setFont(name);
            painter.setPen(state.theme.text);
            painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, title);
            const int used = QFontMetrics(name).horizontalAdvance(title) + 8;
            painter.setFont(place);
            painter.setPen(state.theme.dim);
            if (upper.width() - used >= QFontMetrics(place).horizontalAdvance(label))
                painter.drawText(upper.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, label);
        }
    }
    painter.setClipping(false);
}

}  // namespace

TimeRange wholeRange(const RunModel& model) {
    if (showsPrediction(model)) return {0, std::max<std::int64_t>(model.predictedEnd(), 1)};
    return {model.firstTime(), std::max(model.lastTime(), model.firstTime() + 1)};
}

int labelWidth(const RunModel& model, const Theme& theme, int width) {
    const int last = std::max(0, model.ranks() - 1);
    const int title = QFontMetrics(rankFont(theme)).horizontalAdvance(QStringLiteral("rank %1").arg(last));
    const int place = model.empty() ? 0 : QFontMetrics(placeFont(theme)).horizontalAdvance(QString::fromStdString(model.label(last)));
    if (width < 420) return title + 22;
    return std::clamp(title + place + 30, 80, width / 6);
}

QRect eventRect(const TimelineState& state, const Event& event) {
    const int position = state.rows.positionOf(event.rank);
    if (!state.rows.shows(position) || event.end < state.scale.begin || event.begin > state.scale.end) return {};
    const Row row = state.rows.row(position);
    if (row.top + row.height <= state.plot.top() || row.top > state.plot.bottom()) return {};
    if (event.kind == EventKind::Overflow) return overflowMark(row, state.scale, event.begin).adjusted(-2, -2, 2, 2);
    const int left = std::max(state.plot.left(), static_cast<int>(std::floor(state.scale.x(event.begin))));
    const int right = std::min(state.plot.right() + 1, std::max(left + 2, static_cast<int>(std::floor(state.scale.x(event.end)))));
    if (event.lane == Lane::Copy) return {left, copyStrip(row).top(), right - left, copyStrip(row).height()};
    if (paintOf(event.kind) == Paint::Transfer || (event.lane == Lane::Comm && paintOf(event.kind) == Paint::None))
        return {left, row.barTop + row.barHeight - row.tickHeight, right - left, row.tickHeight};
    return {left, row.barTop, right - left, row.barHeight};
}

void paintFrame(QPainter& painter, const TimelineState& state) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintTimes(painter, state);
    paintSteps(painter, state);
    paintRanks(painter, state);
    painter.restore();
}

}  // namespace shardlab
