// SPDX-License-Identifier: GPL-3.0-or-later
// What is recorded, or predicted, within a span of a rank: below each span what lies within it.
#pragma once

#include "engine/trace/event/event.h"
#include "ui/core/run_model.h"

#include <cstdint>
#include <vector>

namespace shardlab::ui {

struct Flame {
    struct Bar {
        Event event;
        int row = 0;  ///< from the top; 0 is the span itself
    };
    std::vector<Bar> bars;  ///< the span itself, then row by row of its lanes, ascending by begin
    int rows = 0;
    std::int64_t left = 0;  ///< spans that lie within it too and are not among the bars, as they are too many
};

/// What the model holds within a span of one of its ranks.
Flame flameOf(const RunModel& model, const Event& span);
/// "all-reduce (tensor), layer 3", "aten::mm".
QString flameText(const RunModel& model, const Event& event);

}  // namespace shardlab::ui
