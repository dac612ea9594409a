// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/path_overlay.h"

#include "ui/core/step_path.h"
#include "ui/timeline/gantt_scene.h"

#include <QPainter>
#include <QPainterPath>

namespace shardlab::ui {
namespace {

constexpr std::size_t mostSteps = 4;  ///< in sight; more would be too small to follow

void paintPath(QPainter& painter, const TimelineState& state, const std::vector<Event>& events) {
    std::vector<QRect> rects;
    QPainterPath line;
    QRect last;
    for (const Event& event : events) {
        const QRect rect = eventRect(state, event);
        rects.push_back(rect);
        if (rect.isNull()) {
            last = {};
            continue;
        }
        if (!last.isNull() && last.center().y() != rect.center().y()) {
            line.moveTo(last.right(), last.center().y());
            line.lineTo(rect.left(), rect.center().y());
        }
        last = rect;
    }
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < events.size(); ++i)
        if (!rects[i].isNull())
            painter.fillRect(rects[i].adjusted(0, 0, rects[i].width() > 3 ? -1 : 0, 0),
                             state.theme.action(events[i].kind));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(state.theme.text, 1));
    for (const QRect& rect : rects)
        if (rect.width() > 4) painter.drawRect(rect.adjusted(0, 0, -1, -1));
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(state.theme.panel, 4));
    painter.drawPath(line);
    painter.setPen(QPen(state.theme.text, 2));
    painter.drawPath(line);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace

std::vector<Event> pathEvents(const RunModel& model, const StepAccount& account, int pipeline,
                              const StepExtent* extent) {
    if (!extent) return predictedPath(model, account, pipeline);
    const auto path = measuredPath(model, account, pipeline, extent->step);
    return path ? path->events : predictedPath(model, account, pipeline, extent->step);
}

void paintPath(QPainter& painter, const TimelineState& state) {
    if (!state.selection.pathShown() || !state.account || state.model.empty()) return;
    QColor veil = state.theme.panel;
    veil.setAlpha(170);
    painter.fillRect(state.plot, veil);
    const int pipeline =
        pipelineOf(*state.account, state.selection.event() ? state.selection.event()->rank : state.selection.rank());
    if (showsPrediction(state.model))
        return paintPath(painter, state, pathEvents(state.model, *state.account, pipeline, nullptr));
    const StepRange steps = stepsWithin(state.model, state.scale.begin, state.scale.end);
    if (steps.last - steps.first > mostSteps) return;
    for (std::size_t i = steps.first; i < steps.last; ++i)
        paintPath(painter, state, pathEvents(state.model, *state.account, pipeline, &state.model.steps().extents()[i]));
}

}  // namespace shardlab::ui
