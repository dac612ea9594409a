// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/restarts.h"

#include "engine/trace/event/event_payload.h"

#include <algorithm>

namespace shardlab::trace {

bool Restarts::add(const Event& event) {
    if (!isRestart(event)) return false;
    const auto place = std::ranges::lower_bound(all_, event.begin, {}, &Event::begin);
    if (place != all_.end() && place->begin == event.begin) return false;
    all_.insert(place, event);
    return true;
}

bool Restarts::supersededByAny(const Event& event) const {
    return event.kind != EventKind::Restart && std::ranges::any_of(all_, [&](const Event& restart) {
               return event.begin < restart.begin && event.step >= restart.step;
           });
}

Restarts::Window Restarts::lastOf(int step) const {
    Window window;
    for (const Event& restart : all_) {
        if (restart.step <= step) window = {restart.begin};
        else window.end = std::min(window.end, restart.begin);
    }
    return window;
}

int Restarts::ranksOf(int step, int all) const {
    int ranks = all;
    for (const Event& restart : all_)
        if (restart.step <= step)
            ranks = static_cast<int>(std::min<std::int64_t>(ranksAfter(restart).value_or(all), all));
    return ranks;
}

}  // namespace shardlab::trace
