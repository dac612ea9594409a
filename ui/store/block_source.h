// SPDX-License-Identifier: GPL-3.0-or-later
// Where the blocks of a run's events lie that are not in memory.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/event/event.h"

#include <cstdint>
#include <vector>

namespace shardlab::ui {

/// The number of a block within its source.
using BlockKey = std::int64_t;

class BlockSource {
public:
    virtual ~BlockSource() = default;
    /// Replaces `events` by those of a block, as they were recorded. From any thread. Error: it is damaged, or gone.
    virtual Status read(BlockKey key, std::vector<Event>& events) = 0;
};

}  // namespace shardlab::ui
