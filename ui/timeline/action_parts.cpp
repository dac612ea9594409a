// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/action_parts.h"

#include <algorithm>
#include <array>

namespace shardlab::ui {
namespace {

constexpr std::array kinds{EventKind::Annotation, EventKind::Operation};  // from the top
constexpr int leastHeight = 36;                                           ///< of a bar with parts in it, in pixels
constexpr int leastStrip = 10;

}  // namespace

std::optional<QRect> partStrip(const Row& row, EventKind kind, double letters) {
    if (row.barHeight < leastHeight * letters) return {};
    const int height = std::max(static_cast<int>(leastStrip * letters), row.barHeight * 2 / 7);
    const int fromFoot = kind == kinds.front() ? 2 : 1;
    return QRect(0, row.barTop + row.barHeight - row.tickHeight - fromFoot * height, 1, height);
}

void addParts(GanttScene& scene, const RunModel& model, const LaneShape& host, const Row& row, double letters) {
    for (const Bar& bar : host.bars) {
        if (!isPart(bar.event.kind)) continue;
        const auto strip = partStrip(row, bar.event.kind, letters);
        if (!strip) return;
        const int width = bar.right - bar.left;
        const QRect box(bar.left, strip->top(), width > 3 ? width - 1 : width, strip->height() - 1);
        scene.parts.push_back({box,
                               width > 3 ? QString::fromUtf8(model.report().names().of(bar.event.action)) : QString(),
                               bar.event.kind == EventKind::Annotation, bar.event.value > 0});
        for (GanttScene::Number& number : scene.numbers)
            if (number.box.intersects(box)) number.box.setBottom(box.top() - 1);
    }
}

std::optional<Event> partAt(const RunModel& model, const TimeScale& scale, const Row& row, double letters, int x,
                            int y) {
    if (!model.header().hasLayout()) return {};
    for (const EventKind kind : kinds) {
        const auto strip = partStrip(row, kind, letters);
        if (!strip || y < strip->top() || y > strip->bottom()) continue;
        const StoredLane& lane = model.store().lane(row.rank, Lane::Host);
        // No part is drawn where there are more.
        const auto drawn = static_cast<std::int64_t>(mostBars(scale.left, scale.left + scale.width));
        if (lane.empty() || lane.count(scale.begin, scale.end) > drawn) return {};
        const std::int64_t begin = scale.time(x), end = scale.time(x + 1);
        for (const Event& event : lane.within(begin, std::max(end, begin + 1)))
            if (event.kind == kind) return event;
    }
    return {};
}

}  // namespace shardlab::ui
