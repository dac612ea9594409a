// SPDX-License-Identifier: GPL-3.0-or-later
// What stays in memory of a block of events: made once, when its events are there.
#pragma once

#include "ui/store/block_overview.h"
#include "ui/store/memory_marks.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace shardlab::ui {

struct BlockDigest {
    std::int64_t spans = 0;
    std::int64_t begin = 0, end = 0;            ///< earliest and latest of the spans; nanoseconds of the run's clock
    std::int64_t longest = 0;                   ///< of them: what began earlier than that has ended
    std::int32_t firstStep = 0, lastStep = -1;  ///< of the spans; none where the last is smaller
    BlockOverview overview;
    MemoryMarks memory;

    std::size_t bytes() const { return sizeof *this + overview.bytes() + memory.bytes(); }
};

BlockDigest digestOf(const DecodedBlock& block);
/// Two blocks as one. Nothing where their memory samples interleave: only the samples tell then.
std::optional<BlockDigest> joined(const BlockDigest& first, const BlockDigest& second);

}  // namespace shardlab::ui
