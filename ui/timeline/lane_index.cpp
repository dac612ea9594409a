// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_index.h"

#include "engine/base/saturate.h"

#include <algorithm>
#include <limits>

namespace shardlab::ui {

namespace {
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
}

void LaneIndex::clear() { *this = {}; }

void LaneIndex::update(std::span<const Event> events) {
    if (size_ == events.size()) return;
    // Back to the last block that nothing was put in before; what is put in shifts all that follows.
    while (!checkpoints_.empty()) {
        running_ = checkpoints_.back();
        const std::int64_t begin = begins_.back();
        checkpoints_.pop_back();
        begins_.pop_back();
        size_ = checkpoints_.size() * blockSize;
        if (events[size_].begin == begin && events[size_].action == running_.action) break;
    }
    for (; size_ < events.size(); ++size_) {
        const Event& event = events[size_];
        if (size_ == 0) running_.reach = never;
        if (size_ % blockSize == 0) {
            checkpoints_.push_back(running_);
            checkpoints_.back().action = event.action;
            begins_.push_back(event.begin);
        }
        if (const Paint paint = paintOf(event.kind); paint != Paint::None)
            running_.total[paint] = saturatedSum(running_.total[paint], event.end - event.begin);
        running_.reach = std::max(running_.reach, event.end);
    }
}

std::size_t LaneIndex::firstBeginningAt(std::span<const Event> events, std::int64_t time) const {
    const auto known = events.first(size_);
    return static_cast<std::size_t>(
        std::lower_bound(known.begin(), known.end(), time, [](const Event& e, std::int64_t t) { return e.begin < t; }) -
        known.begin());
}

std::size_t LaneIndex::firstEndingAfter(std::span<const Event> events, std::int64_t time) const {
    // Reach ascends, so the block holding the first such event is the one before the first checkpoint beyond `time`.
    const auto beyond = std::partition_point(checkpoints_.begin(), checkpoints_.end(),
                                             [time](const Checkpoint& c) { return c.reach <= time; });
    if (beyond == checkpoints_.begin()) return 0;
    std::size_t index = static_cast<std::size_t>(beyond - checkpoints_.begin() - 1) * blockSize;
    while (index < size_ && events[index].end <= time) ++index;
    return index;
}

std::size_t LaneIndex::blocksBegunBefore(std::int64_t time, std::size_t from) const {
    std::size_t stride = 1;
    while (from + stride < begins_.size() && begins_[from + stride - 1] < time) {
        from += stride;
        stride *= 2;
    }
    const auto first = begins_.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = begins_.begin() + static_cast<std::ptrdiff_t>(std::min(from + stride, begins_.size()));
    return static_cast<std::size_t>(std::lower_bound(first, last, time) - begins_.begin());
}

Coverage LaneIndex::before(std::span<const Event> events, std::int64_t time, std::size_t* hint) const {
    const std::size_t blocks = blocksBegunBefore(time, hint ? *hint : 0);
    if (hint) *hint = blocks > 0 ? blocks - 1 : 0;
    if (blocks == 0) return {};
    const std::size_t block = blocks - 1;
    const std::size_t last = std::min(blocks * blockSize, size_);
    Coverage covered = checkpoints_[block].total;
    for (std::size_t i = block * blockSize; i < last && events[i].begin < time; ++i) {
        if (const Paint paint = paintOf(events[i].kind); paint != Paint::None)
            covered[paint] += std::min(events[i].end, time) - events[i].begin;
    }
    if (checkpoints_[block].reach <= time) return covered;
    // Events of earlier blocks that last beyond `time`: take back what lies beyond.
    for (std::size_t i = firstEndingAfter(events, time); i < block * blockSize; ++i) {
        const Paint paint = paintOf(events[i].kind);
        if (paint != Paint::None && events[i].end > time) covered[paint] -= events[i].end - time;
    }
    return covered;
}

}  // namespace shardlab::ui
