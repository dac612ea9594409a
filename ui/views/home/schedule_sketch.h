// SPDX-License-Identifier: GPL-3.0-or-later
// A step of a layout as a small picture: its own schedule on a clock of unit slots, without costs.
#pragma once

#include "ui/core/theme.h"

#include "engine/layout/layout.h"

#include <QRect>

#include <vector>

class QPainter;

namespace shardlab::ui {

struct ScheduleSketch {
    struct Bar {
        int row = 0;
        int begin = 0, length = 1;  ///< slots
        EventKind kind = EventKind::Forward;
        bool dark = false;  ///< of every other chunk of its rank
    };
    int rows = 0;
    int length = 1;  ///< slots
    std::vector<Bar> bars;
};

/// A row for each pipeline rank, or where there is no pipeline for each of the first replicas and tensor ranks. Of many
/// microbatches so many are drawn as show the order. What ends the step (the reduction between replicas, the update)
/// is drawn behind the last backward, whatever it costs. Empty where the schedule cannot be.
ScheduleSketch sketchOf(const Layout& layout);

void paintSketch(QPainter& painter, const QRect& place, const ScheduleSketch& sketch, const Theme& theme);

}  // namespace shardlab::ui
