// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/path_overlay.h"

#include "ui/core/step_account.h"
#include "ui/timeline/gantt_scene.h"

#include <QPainter>
#include <QPainterPath>

#include <map>

namespace shardlab {
namespace {

constexpr std::size_t mostSteps = 4;  ///< in sight; more would be too small to follow

/// Events of a rank's step by action, not those of what happens within one or before it.
std::map<ActionId, Event> byAction(const RunModel& model, int rank, const StepExtent* extent) {
    std::map<ActionId, Event> events;
    const auto take = [&](std::span<const Event> all) {
        for (const Event& event : all)
            if (event.action != 0 && event.kind == eventKind(actionFromId(event.action).kind)) events[event.action] = event;
    };
    for (const Lane lane : {Lane::Compute, Lane::Comm})
        if (extent) take(model.eventsOfStep(rank, lane, extent->step));
        else take(model.predicted(rank, lane));
    return events;
}

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
        if (!rects[i].isNull()) painter.fillRect(rects[i].adjusted(0, 0, rects[i].width() > 3 ? -1 : 0, 0), state.theme.action(events[i].kind));
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

std::vector<Event> pathEvents(const RunModel& model, const StepAccount& account, int pipeline, const StepExtent* extent) {
    std::vector<Event> found;
    const std::vector<int> ranks = account.mesh.group(pipeline, Axis::Pipeline);
    std::map<int, std::map<ActionId, Event>> ofRank;
    for (const int node : account.path.nodes) {
        const StepGraph::Node& each = account.graph.nodes[static_cast<std::size_t>(node)];
        const int rank = ranks[static_cast<std::size_t>(each.rank)];
        if (rank >= model.ranks()) continue;
        auto events = ofRank.find(rank);
        if (events == ofRank.end()) events = ofRank.emplace(rank, byAction(model, rank, extent)).first;
        const auto event = events->second.find(actionId(each.action));
        if (event != events->second.end()) found.push_back(event->second);
    }
    return found;
}

void paintPath(QPainter& painter, const TimelineState& state) {
    if (!state.selection.pathShown() || !state.account || state.model.empty()) return;
    QColor veil = state.theme.panel;
    veil.setAlpha(170);
    painter.fillRect(state.plot, veil);
    // All pipelines are alike: that of the selected rank, else the first.
    const int chosen = state.selection.event() ? state.selection.event()->rank : state.selection.rank();
    const int pipeline = chosen >= 0 && chosen < state.account->mesh.ranks() ? chosen : 0;
    if (showsPrediction(state.model)) return paintPath(painter, state, pathEvents(state.model, *state.account, pipeline, nullptr));
    const StepRange steps = stepsWithin(state.model, state.scale.begin, state.scale.end);
    if (steps.last - steps.first > mostSteps) return;
    for (std::size_t i = steps.first; i < steps.last; ++i)
        paintPath(painter, state, pathEvents(state.model, *state.account, pipeline, &state.model.stepExtents()[i]));
}

}  // namespace shardlab
