// SPDX-License-Identifier: GPL-3.0-or-later
// What views need of a block's events while it is in memory. Counters and instants are not here: the model keeps those.
#pragma once

#include "engine/trace/event/event.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardlab::ui {

/// Memory of one category in use from `time` on.
struct MemorySample {
    std::int64_t time = 0;
    std::int64_t bytes = 0;
    MemoryCategory category = MemoryCategory::Parameters;
};

struct DecodedBlock {
    std::vector<Event> spans;          ///< ascending by begin; those that begin together as they were recorded
    std::vector<MemorySample> memory;  ///< ascending by time, likewise

    std::size_t bytes() const {
        return sizeof *this + spans.capacity() * sizeof(Event) + memory.capacity() * sizeof(MemorySample);
    }
};

/// Makes a block of events in the order in which they were recorded.
DecodedBlock decodedBlock(std::span<const Event> events);

/// Keeps `block` ascending; nearly always the event, a span or memory in use, belongs at the end.
void insert(DecodedBlock& block, const Event& event);
/// Whether such an event is kept in blocks.
bool isOfBlock(const Event& event);

}  // namespace shardlab::ui
