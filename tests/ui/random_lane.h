// SPDX-License-Identifier: GPL-3.0-or-later
// A lane of random events, ascending by begin; for tests only.
#pragma once

#include "engine/trace/event/event.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace shardlab::sample {

inline std::vector<Event> randomLane(std::mt19937_64& random, int count, bool overlapping) {
    constexpr EventKind kinds[]{EventKind::Forward,     EventKind::Backward,       EventKind::InputGrad,
                                EventKind::WeightGrad,  EventKind::Wait,           EventKind::Optimizer,
                                EventKind::SendForward, EventKind::ReduceGradients};
    std::vector<Event> events;
    std::int64_t time = std::uniform_int_distribution<std::int64_t>(0, 100)(random);
    for (int i = 0; i < count; ++i) {
        const std::int64_t length = std::uniform_int_distribution<std::int64_t>(0, 90)(random);
        Event event{.begin = time, .end = time + length, .action = static_cast<ActionId>(i + 1)};
        event.kind = kinds[std::uniform_int_distribution<std::size_t>(0, std::size(kinds) - 1)(random)];
        if (overlapping && i % 7 == 0) event.end += 400;
        events.push_back(event);
        const std::int64_t gap = std::uniform_int_distribution<std::int64_t>(0, 2)(random) == 0
                                     ? std::uniform_int_distribution<std::int64_t>(1, 120)(random)
                                     : 0;
        time += (overlapping ? length / 2 : length) + gap;
    }
    return events;
}

}  // namespace shardlab::sample
