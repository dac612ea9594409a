// SPDX-License-Identifier: GPL-3.0-or-later
// Counters that are told once a step.
#pragma once

#include "engine/trace/event/event.h"

#include <algorithm>
#include <vector>

namespace shardlab::ui {

/// The last counter of a step at or before `step`; none where there is none.
inline const Event* atStep(const std::vector<Event>& events, double step) {
    const auto after =
        std::upper_bound(events.begin(), events.end(), step, [](double s, const Event& e) { return s < e.step; });
    return after == events.begin() ? nullptr : &*(after - 1);
}

}  // namespace shardlab::ui
