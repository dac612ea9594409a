// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/block_digest.h"

#include <algorithm>
#include <utility>

namespace shardlab::ui {

BlockDigest digestOf(const DecodedBlock& block) {
    BlockDigest digest{.spans = static_cast<std::int64_t>(block.spans.size()),
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

std::optional<BlockDigest> joined(const BlockDigest& first, const BlockDigest& second) {
    auto memory = joined(first.memory, second.memory);
    if (!memory) return {};
    BlockDigest both = first.spans > 0 ? first : second;
    both.spans = first.spans + second.spans;
    both.overview = BlockOverview(first.overview, second.overview);
    both.memory = std::move(*memory);
    if (first.spans == 0 || second.spans == 0) return both;
    both.begin = std::min(first.begin, second.begin);
    both.end = std::max(first.end, second.end);
    both.longest = std::max(first.longest, second.longest);
    both.firstStep = std::min(first.firstStep, second.firstStep);
    both.lastStep = std::max(first.lastStep, second.lastStep);
    return both;
}

}  // namespace shardlab::ui
