// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/home/schedule_sketch.h"

#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/slots.h"

#include <QPainter>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int mostCopies = 4;
constexpr int leastMicrobatches = 8;
constexpr double shade = 0.28;  ///< of darker chunks

/// With fewer microbatches where the schedule can be with them: a multiple of the ranks, as interleaved ones ask for.
Result<Schedule> fewMicrobatches(const Layout& layout) {
    const ScheduleShape whole = scheduleShape(layout);
    ScheduleShape few = whole;
    const int ranks = std::max(1, whole.ranks);
    few.microbatches =
        std::min(whole.microbatches, (std::max(2 * ranks, leastMicrobatches) + ranks - 1) / ranks * ranks);
    if (!findScheduleMethod(layout.schedule.kind) || few.microbatches == whole.microbatches)
        return generateSchedule(layout.schedule.kind, whole);
    auto schedule = generateSchedule(layout.schedule.kind, few);
    return schedule ? std::move(schedule) : generateSchedule(layout.schedule.kind, whole);
}

}  // namespace

ScheduleSketch sketchOf(const Layout& layout) {
    ScheduleSketch sketch;
    const auto schedule = fewMicrobatches(layout);
    if (!schedule) return sketch;
    const SlotTimes times = slotTimes(*schedule);
    const int ranks = static_cast<int>(schedule->ranks.size());
    const int copies =
        ranks > 1 ? 1
                  : std::clamp(layout.parallel.data * layout.parallel.tensor * layout.parallel.context, 1, mostCopies);
    sketch.rows = ranks * copies;
    const int tail = std::max(1, times.end / 14);
    for (int row = 0; row < sketch.rows; ++row) {
        const auto rank = static_cast<std::size_t>(row % ranks);
        const std::vector<Action>& actions = schedule->ranks[rank];
        const std::vector<int> stages = schedule->stagesOf(static_cast<int>(rank));
        int end = 0;
        for (std::size_t i = 0; i < times.reached[rank] && i < actions.size(); ++i) {
            const int length = slotsOf(actions[i].kind);
            if (length == 0) continue;
            const auto chunk = std::ranges::find(stages, actions[i].stage) - stages.begin();
            sketch.bars.push_back({row, times.begin[rank][i], length, eventKind(actions[i].kind), chunk % 2 == 1});
            end = std::max(end, times.begin[rank][i] + length);
        }
        if (layout.parallel.data > 1) {
            sketch.bars.push_back({row, end, tail, EventKind::ReduceGradients});
            end += tail;
        }
        sketch.bars.push_back({row, end, std::max(1, tail / 2), EventKind::Optimizer});
        sketch.length = std::max(sketch.length, end + std::max(1, tail / 2));
    }
    return sketch;
}

void paintSketch(QPainter& painter, const QRect& place, const ScheduleSketch& sketch, const Theme& theme) {
    if (sketch.rows == 0) return;
    const double row = static_cast<double>(place.height()) / sketch.rows;
    const double gap = row >= 8 ? 2 : row >= 4 ? 1 : 0;
    const double slot = static_cast<double>(place.width()) / sketch.length;
    painter.save();
    painter.setPen(Qt::NoPen);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (int index = 0; index < sketch.rows; ++index)
        painter.fillRect(QRectF(place.left(), place.top() + index * row, place.width(), row - gap),
                         mixed(theme.panel, theme.idle, 0.6));
    for (const ScheduleSketch::Bar& bar : sketch.bars) {
        const QColor hue = theme.action(bar.kind);
        const double width = bar.length * slot;
        painter.fillRect(QRectF(place.left() + bar.begin * slot, place.top() + bar.row * row,
                                width > 4 ? width - 1 : std::max(1.0, width), row - gap),
                         bar.dark ? mixed(hue, theme.panel, shade) : hue);
    }
    painter.restore();
}

}  // namespace shardlab::ui
