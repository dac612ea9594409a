// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/step_strip.h"

#include "engine/layout/mesh/alike.h"
#include "ui/core/run_model.h"
#include "ui/core/theme.h"
#include "ui/store/paint.h"

#include <QPainter>

#include <algorithm>

namespace shardlab::ui {

StepStrip lastStepOf(const RunModel& model) {
    StepStrip strip;
    if (model.empty() || !model.header().hasLayout()) return strip;
    const auto& extents = model.steps().extents();
    const auto last = std::find_if(extents.rbegin(), extents.rend(), [](const StepExtent& e) { return e.complete; });
    if (last == extents.rend() || last->begin < 0) return strip;
    const auto seconds = [&](std::int64_t time) {
        return model.deviceTime().seconds(static_cast<double>(time - last->begin) * 1e-9);
    };
    for (const std::vector<int>& alike : alikeRanks(model.header().layout, model.mesh())) {
        const int rank = alike.front();
        if (strip.rows == StepStrip::mostRows || !takesPart(model, rank, last->step)) continue;
        for (const Lane lane : {Lane::Comm, Lane::Compute})
            for (const Event& event : eventsOfStep(model, rank, lane, last->step)) {
                const Paint paint = paintOf(event.kind);
                if (!isBar(paint) || paint == Paint::Recompute) continue;
                strip.bars.push_back({strip.rows, seconds(event.begin), seconds(event.end), event.kind});
                strip.seconds = std::max(strip.seconds, seconds(event.end));
            }
        ++strip.rows;
    }
    return strip;
}

void paintStrip(QPainter& painter, const QRect& place, const StepStrip& strip, double longest, const Theme& theme) {
    if (strip.rows == 0 || longest <= 0) return;
    const double row = static_cast<double>(place.height()) / strip.rows, pixels = place.width() / longest;
    const double gap = row >= 8 ? 2 : 1;
    painter.save();
    painter.setPen(Qt::NoPen);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (int index = 0; index < strip.rows; ++index)
        painter.fillRect(QRectF(place.left(), place.top() + index * row, strip.seconds * pixels, row - gap),
                         mixed(theme.panel, theme.idle, 0.8));
    for (const StepStrip::Bar& bar : strip.bars)
        painter.fillRect(QRectF(place.left() + bar.begin * pixels, place.top() + bar.row * row,
                                std::max(1.0, (bar.end - bar.begin) * pixels - 1), row - gap),
                         theme.action(bar.kind));
    painter.restore();
}

}  // namespace shardlab::ui
