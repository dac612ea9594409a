// SPDX-License-Identifier: Apache-2.0
// Events made of an input's bytes: any value in any field, but often the ordinary ones.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/trace/event/legal_time.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace shardlab::fuzz {

inline bool identical(const Event& a, const Event& b) {
    return a.begin == b.begin && a.end == b.end && a.bytes == b.bytes && a.action == b.action && a.step == b.step &&
           a.rank == b.rank && a.lane == b.lane && a.kind == b.kind &&
           std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

/// Any legal time.
inline std::int64_t anyTime(Input& input) { return std::clamp(input.number<std::int64_t>(), -latestTime, latestTime); }

inline Event anyEvent(Input& input, std::int64_t& clock) {
    const auto small = [&] { return static_cast<std::int64_t>(input.number<std::int16_t>()); };
    Event event;
    const auto flags = input.number<std::uint8_t>();
    event.kind = static_cast<EventKind>(input.number<std::uint8_t>());
    event.lane = static_cast<Lane>(input.number<std::uint8_t>() % laneCount);
    event.rank =
        (flags & 1) != 0 ? input.number<std::int16_t>() : static_cast<std::int16_t>(input.number<std::uint8_t>() % 4);
    event.step = (flags & 2) != 0 ? input.number<std::int32_t>()
                                  : static_cast<std::int32_t>(input.number<std::uint8_t>() % 8) - 1;
    event.begin = (flags & 4) != 0 ? anyTime(input) : clock += small();
    event.end = (flags & 8) != 0 ? anyTime(input) : event.begin;
    if ((flags & 8) == 0 && std::abs(event.begin) < latestTime / 2) clock = event.end += small();
    event.action = (flags & 16) != 0
                       ? input.number<std::uint64_t>()
                       : actionId({static_cast<ActionKind>(input.number<std::uint8_t>() % 21),
                                   input.number<std::uint8_t>() % 4, input.number<std::uint8_t>() % 4 - 1, -1});
    event.bytes = (flags & 32) != 0 ? input.number<std::int64_t>() : small();
    event.value =
        (flags & 64) != 0 ? std::bit_cast<double>(input.number<std::uint64_t>()) : static_cast<double>(small());
    return event;
}

inline std::vector<Event> anyEvents(Input& input, std::size_t most) {
    std::vector<Event> events;
    std::int64_t clock = 0;
    while (!input.empty() && events.size() < most) events.push_back(anyEvent(input, clock));
    return events;
}

}  // namespace shardlab::fuzz
