// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/happening_marks.h"

#include "ui/core/run_model.h"

#include <algorithm>

namespace shardlab {

std::bitset<happeningMarks.size()> happeningsOf(const RunModel& model) {
    std::bitset<happeningMarks.size()> found;
    for (std::size_t i = 0; i < happeningMarks.size(); ++i) {
        const EventKind kind = happeningMarks[i].kind;
        found[i] = kind == EventKind::ValidationLoss ? !model.counters(kind).empty()
                                                     : std::ranges::find(model.instants(), kind, &Event::kind) != model.instants().end();
    }
    return found;
}

}  // namespace shardlab
