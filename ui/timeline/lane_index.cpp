// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_index.h"

#include <algorithm>
#include <limits>

namespace shardlab {

namespace {
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
}

void LaneIndex::clear() { *this = {}; }

void LaneIndex::update(std::span<const Event> events) {
    if (size_ == events.size()) return;
    // Back to the last block that nothing was put in before; what is put in shifts all that follows.
    while (!checkpoints_.empty()) {
        const Checkpoint last = checkpoints_.back();
        checkpoints_.pop_back();
        running_ = last;
        size_ = checkpoints_.size() * blockSize;
        if (events[size_].begin == last.begin && events[size_].action == last.action) break;
    }
    for (; size_ < events.size(); ++size_) {
        const Event& event = events[size_];
        if (size_ == 0) running_.reach = never;
        if (size_ % blockSize == 0) {
            checkpoints_.push_back(running_);
            checkpoints_.back().begin = event.begin;
            checkpoints_.back().action = event.action;
        }
        if (const Paint paint = paintOf(event.kind); paint != Paint::None) running_.total[paint] += event.end - event.begin;
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

Coverage LaneIndex::before(std::span<const Event> events, std::int64_t time) const {
    const std::size_t begun = firstBeginningAt(events, time);
    if (begun == 0) return {};
    const std::size_t block = (begun - 1) / blockSize;
    Coverage covered = checkpoints_[block].total;
    for (std::size_t i = block * blockSize; i < begun; ++i) {
        if (const Paint paint = paintOf(events[i].kind); paint != Paint::None) covered[paint] += events[i].end - events[i].begin;
    }
    // Take back what lies beyond `time`.
    for (std::size_t i = firstEndingAfter(events, time); i < begun; ++i) {
        const Paint paint = paintOf(events[i].kind);
        if (paint != Paint::None && events[i].end > time) covered[paint] -= events[i].end - time;
    }
    return covered;
}

}  // namespace shardlab
