// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/inside/flame.h"

#include "engine/base/layer_number.h"
#include "engine/trace/event/event_payload.h"
#include "ui/core/overflow.h"
#include "ui/core/words.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/gantt_scene.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace shardlab::ui {
namespace {

constexpr std::int64_t mostInside = 4000;
/// Operations first: kernels and copies are what they started.
constexpr std::array lanes{Lane::Host, Lane::Compute, Lane::Comm, Lane::Copy};

/// Spans that are a part of another one, in Shardlab's own runs and in those of other programs.
bool liesInside(const Event& event, const Event& span) {
    if (event.begin < span.begin || event.end > span.end || event == span) return false;
    switch (event.kind) {
    case EventKind::Kernel:
    case EventKind::Collective:
    case EventKind::MemoryCopy:
    case EventKind::Operation:
    case EventKind::Annotation: return true;
    default: return (event.kind == EventKind::Recompute || isInsideAction(event.kind)) && event.action == span.action;
    }
}

std::vector<Event> eventsOf(const RunModel& model, const Event& span, Lane lane) {
    if (!showsPrediction(model)) return model.store().lane(span.rank, lane).within(span.begin, span.end);
    return model.prediction().lane(span.rank, lane);
}

std::int64_t countOf(const RunModel& model, const Event& span, Lane lane) {
    return showsPrediction(model) ? 0 : model.store().lane(span.rank, lane).count(span.begin, span.end);
}

}  // namespace

Flame flameOf(const RunModel& model, const Event& span) {
    Flame flame{{{span, 0}}, 1, 0};
    for (const Lane lane : lanes) {
        if (const std::int64_t count = countOf(model, span, lane); count > mostInside) {
            flame.left += count;
            continue;
        }
        std::vector<Event> inside = eventsOf(model, span, lane);
        std::erase_if(inside, [&](const Event& event) { return !liesInside(event, span); });
        // What begins together lies within the longest, and within what has a name where all are as long.
        std::ranges::stable_sort(inside, [](const Event& a, const Event& b) {
            const auto place = [](const Event& e) {
                return std::tuple(e.begin, -e.end, e.kind != EventKind::Annotation);
            };
            return place(a) < place(b);
        });
        const int top = flame.rows;
        std::vector<std::int64_t> ends;  // of the spans that go on, a row each
        for (const Event& event : inside) {
            while (!ends.empty() && ends.back() <= event.begin) ends.pop_back();
            flame.bars.push_back({event, top + static_cast<int>(ends.size())});
            ends.push_back(event.end);
            flame.rows = std::max(flame.rows, top + static_cast<int>(ends.size()));
        }
    }
    return flame;
}

QString flameText(const RunModel& model, const Event& event) {
    if (nameNumber(event.action) != 0) return actionText(model, event);
    const QString what = term(name(event.kind));
    if (isInsideAction(event.kind)) return what + QStringLiteral(" · ") + layerName(layerOf(event));
    return event.kind == EventKind::Recompute || event.action == 0 ? what : actionText(model, event);
}

}  // namespace shardlab::ui
