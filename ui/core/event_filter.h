// SPDX-License-Identifier: GPL-3.0-or-later
// What a person looks for among events: "3F7", "wait rank 2", "send > 5 ms", "B step 10-20 pp1". All parts must hold.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/event/event.h"

#include <bitset>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::ui {

class RunModel;

struct NumberSpan {
    std::int64_t first = std::numeric_limits<std::int64_t>::min();
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
    bool holds(std::int64_t number) const { return number >= first && number <= last; }
};

struct EventFilter {
    std::bitset<256> kinds;  ///< by number; none set: any
    std::optional<Lane> lane;
    std::vector<bool> ranks;  ///< by rank; empty: any
    NumberSpan steps, stages, microbatches;
    NumberSpan duration;           ///< nanoseconds on the run's clock
    std::optional<Action> action;  ///< its weight version only where one is given
    std::vector<bool> names;       ///< by nameNumber(); empty: any
    bool ofActions = false;        ///< stages or microbatches are asked for

    bool matches(const Event& event) const;
};

/// Error: the word that means nothing, and what would. An empty text is an error too.
Result<EventFilter> parseEventFilter(const std::string& text, const RunModel& model);

}  // namespace shardlab::ui
