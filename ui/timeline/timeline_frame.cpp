// SPDX-License-Identifier: GPL-3.0-or-later
// Time labels, grid, step numbers and groups of ranks of a timeline.
#include "engine/layout/mesh.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/rank_labels.h"
#include "ui/timeline/time_ticks.h"
#include "ui/timeline/timeline_state.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardlab {

namespace {

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

}  // namespace

TimeRange wholeRange(const RunModel& model) {
    if (showsPrediction(model)) return {0, std::max<std::int64_t>(model.predictedEnd(), 1)};
    return {model.firstTime(), std::max(model.lastTime(), model.firstTime() + 1)};
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

void paintFrame(QPainter& painter, const TimelineState& state, RankLabels& labels) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintTimes(painter, state);
    paintSteps(painter, state);
    labels.paint(painter, state);
    paintGroups(painter, state);
    painter.restore();
}

}  // namespace shardlab
