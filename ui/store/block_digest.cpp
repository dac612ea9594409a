// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/block_digest.h"

#include <algorithm>

namespace shardlab::ui {

BlockDigest digestOf(const DecodedBlock& block) {
    BlockDigest digest{.spans = static_cast<int>(block.spans.size()),
                       .overview = BlockOverview(block.spans),
                       .memory = memoryMarks(block.memory)};
    if (block.spans.empty()) return digest;
    digest.begin = block.spans.front().begin;
    for (const Event& event : block.spans) digest.longest = std::max(digest.longest, event.end - event.begin);
    digest.end = std::ranges::max_element(block.spans, {}, &Event::end)->end;
    const auto [first, last] = std::ranges::minmax_element(block.spans, {}, &Event::step);
    digest.firstStep = first->step;
    digest.lastStep = last->step;
    return digest;
}

}  // namespace shardlab::ui
