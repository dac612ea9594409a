// SPDX-License-Identifier: GPL-3.0-or-later
// The level of detail of one lane: how much of any stretch of time each paint covers, without looking at the events
// in it. Running sums at every sixteenth event, so it grows at its end in O(1) an event, costs 6 bytes an event, and
// answers exactly (no resolution levels, nothing lost between them) in O(log n).
#pragma once

#include "ui/store/paint.h"

#include <cstddef>
#include <span>
#include <vector>

namespace shardlab::ui {

class LaneIndex {
public:
    static constexpr std::size_t blockSize = 16;

    /// Takes in what was added to `events` (ascending by begin, the same vector every time, only grown): at its end,
    /// or a little before it, as messages are recorded when they arrive but begin when they were posted.
    void update(std::span<const Event> events);
    void clear();
    std::size_t size() const { return size_; }

    /// Nanoseconds of each paint before `time`. Overlapping events count twice. `hint`, if given, is kept between
    /// calls whose times ascend: each then looks only a little further than the last.
    Coverage before(std::span<const Event> events, std::int64_t time, std::size_t* hint = nullptr) const;
    Coverage between(std::span<const Event> events, std::int64_t begin, std::int64_t end) const {
        return before(events, end) - before(events, begin);
    }
    /// Index of the first event that ends after `time`; size() where there is none. Every event before it has ended.
    std::size_t firstEndingAfter(std::span<const Event> events, std::int64_t time) const;
    /// Index of the first event that begins at or after `time`.
    std::size_t firstBeginningAt(std::span<const Event> events, std::int64_t time) const;

private:
    struct Checkpoint {  ///< of the events before a block
        Coverage total;
        std::int64_t reach = 0;  ///< largest end
        ActionId action = 0;     ///< of the block's first event: another there means that one was put in before it
    };
    std::size_t blocksBegunBefore(std::int64_t time, std::size_t from) const;
    std::vector<Checkpoint> checkpoints_;  ///< one per block begun
    std::vector<std::int64_t> begins_;     ///< of each block's first event
    Checkpoint running_;                   ///< of all events taken in
    std::size_t size_ = 0;
};

}  // namespace shardlab::ui
