// SPDX-License-Identifier: GPL-3.0-or-later
// Time labels, grid, step numbers and groups of ranks of a timeline.
#include "engine/layout/mesh/mesh.h"
#include "ui/timeline/action_parts.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/happening_marks.h"
#include "ui/timeline/rank_labels.h"
#include "ui/timeline/timeline_state.h"
#include "ui/core/words.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <vector>

namespace shardlab::ui {

namespace {

QFont timeFont(const Theme& theme) { return theme.bodyAt(11); }

/// Steps in sight, every so many that each has eight pixels.
struct ShownSteps {
    explicit ShownSteps(const TimelineState& state)
        : steps(showsPrediction(state.model) ? StepRange{0, 0}
                                             : stepsWithin(state.model, state.scale.begin, state.scale.end)),
          stride(std::max<std::size_t>(1, (steps.last - steps.first) /
                                              static_cast<std::size_t>(std::max(1, state.plot.width() / 8)))) {}
    StepRange steps;
    std::size_t stride;
};

void paintTimes(QPainter& painter, const TimelineState& state) {
    painter.setFont(timeFont(state.theme));
    painter.setPen(state.theme.dim);
    const QFontMetrics metrics(painter.font());
    for (const TimeTick& tick : state.ticks) {
        const int x = static_cast<int>(std::floor(state.scale.x(tick.time)));
        if (x + 3 + metrics.horizontalAdvance(tick.label) <= state.whole.right())
            painter.drawText(x + 3, state.whole.top() + metrics.ascent() + 3, tick.label);
    }
}

void paintSteps(QPainter& painter, const TimelineState& state) {
    const ShownSteps shown(state);
    const QFontMetrics metrics(painter.font());
    const auto& extents = state.model.steps().extents();
    // Between two labels; one of a step that begins out of sight yields to the next.
    const int beside = state.theme.scaled(12);
    const std::vector<double> marks = markPlaces(state.model, state.scale);
    int free = state.plot.left();
    for (std::size_t i = shown.steps.first; i < shown.steps.last; i += shown.stride) {
        if (extents[i].begin < 0) continue;
        const double at = state.scale.x(extents[i].begin);
        int x = std::max(state.plot.left(), static_cast<int>(at));
        if (x < free) continue;
        const QString label = tr("step %1").arg(extents[i].step);
        const int width = metrics.horizontalAdvance(label);
        const int moved = behindMarks(marks, x, width, state.theme.scaled(markSize));
        if (moved > x + beside) continue;  // so far behind its place it would be read as another step's
        x = moved;
        const double next = i + 1 < extents.size() ? state.scale.x(extents[i + 1].begin) : state.whole.right();
        if (x + width + 4 > state.whole.right() || (at < state.plot.left() && x + width + beside > next)) continue;
        painter.drawText(x + 3, state.plot.top() - metrics.descent() - 1, label);
        free = x + width + beside;
    }
}

/// A line where another group of ranks begins, and below those that are pinned; a bar beside each of these.
void paintGroups(QPainter& painter, const TimelineState& state) {
    const auto& axis = state.selection.grouping();
    const int pinned = state.rows.pinned();
    if ((!axis && pinned == 0) || state.model.empty()) return;
    const Mesh mesh(state.model.header().layout);
    const std::vector<Row> rows = state.rows.visible();
    painter.save();
    painter.setClipRect(QRect(state.whole.left(), state.plot.top(), state.whole.width(), state.plot.height()),
                        Qt::IntersectClip);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool isPinned = static_cast<int>(i) < pinned;
        if (isPinned)
            painter.fillRect(QRect(state.whole.left() + 2, rows[i].barTop - rows[i].bandHeight, 3,
                                   rows[i].barHeight + rows[i].bandHeight),
                             state.theme.accent);
        if (i == 0) continue;
        const bool another = axis && mesh.coordinate(rows[i].rank, *axis) != mesh.coordinate(rows[i - 1].rank, *axis);
        if (static_cast<int>(i) != pinned && (!another || isPinned)) continue;
        painter.setPen(QPen(state.theme.dim, 1));
        painter.drawLine(state.whole.left() + 4, rows[i].top, state.plot.right(), rows[i].top);
    }
    painter.restore();
}

}  // namespace

TimeRange wholeRange(const RunModel& model) {
    if (showsPrediction(model)) return {0, std::max<std::int64_t>(model.prediction().end(), 1)};
    return {model.recorded().first, std::max(model.recorded().last, model.recorded().first + 1)};
}

std::vector<TimeTick> ticksOf(const TimeScale& scale, const Theme& theme, DeviceTime device) {
    const QFontMetrics metrics(timeFont(theme));
    return timeTicksWithin(
        scale.begin, scale.end, scale.width, [&](const QString& label) { return metrics.horizontalAdvance(label); },
        device);
}

QRect eventRect(const TimelineState& state, const Event& event) {
    const int position = state.rows.positionOf(event.rank);
    if (!state.rows.shows(position) || event.end < state.scale.begin || event.begin > state.scale.end) return {};
    const Row row = state.rows.row(position);
    if (row.top + row.height <= state.plot.top() || row.top > state.plot.bottom()) return {};
    if (event.kind == EventKind::Overflow) return overflowMark(row, state.scale, event.begin).adjusted(-2, -2, 2, 2);
    const int left = std::max(state.plot.left(), static_cast<int>(std::floor(state.scale.x(event.begin))));
    const int right =
        std::min(state.plot.right() + 1, std::max(left + 2, static_cast<int>(std::floor(state.scale.x(event.end)))));
    if (event.lane == Lane::Host && isPart(event.kind) && state.model.header().hasLayout()) {
        const QRect strip =
            partStrip(row, event.kind, state.rows.letters()).value_or(QRect(0, row.barTop, 1, row.barHeight));
        return {left, strip.top(), right - left, strip.height()};
    }
    if (event.lane == Lane::Copy) return {left, copyStrip(row).top(), right - left, copyStrip(row).height()};
    if (paintOf(event.kind) == Paint::Transfer || (event.lane == Lane::Comm && paintOf(event.kind) == Paint::None))
        return {left, row.barTop + row.barHeight - row.tickHeight, right - left, row.tickHeight};
    return {left, row.barTop, right - left, row.barHeight};
}

void paintGround(QPainter& painter, const TimelineState& state) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QRect& plot = state.plot;
    for (const TimeTick& tick : state.ticks)
        painter.fillRect(static_cast<int>(std::floor(state.scale.x(tick.time))), plot.top(), 1, plot.height(),
                         state.theme.grid);
    // Opaque: Qt shares transparent fills out among threads, which takes longer than a line.
    const auto mix = [](int part, int panel) { return (part * 43 + panel * 57) / 100; };
    const QColor &dim = state.theme.dim, &panel = state.theme.panel;
    const QColor line(mix(dim.red(), panel.red()), mix(dim.green(), panel.green()), mix(dim.blue(), panel.blue()));
    const ShownSteps shown(state);
    const int above = state.theme.scaled(12);
    for (std::size_t i = shown.steps.first; shown.stride == 1 && i < shown.steps.last; ++i) {
        const StepExtent& step = state.model.steps().extents()[i];
        const int x = static_cast<int>(state.scale.x(step.begin));
        if (step.begin >= 0 && x >= plot.left())
            painter.fillRect(x, plot.top() - above, 1, plot.height() + above, line);
    }
    paintGroups(painter, state);
    painter.restore();
}

void paintFrame(QPainter& painter, const TimelineState& state, RankLabels& labels) {
    painter.save();
    labels.paint(painter, state);
    painter.setClipRegion(QRegion(state.whole).subtracted(state.plot));
    paintGround(painter, state);
    painter.setClipRect(state.whole);
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintTimes(painter, state);
    paintSteps(painter, state);
    painter.restore();
}

}  // namespace shardlab::ui
