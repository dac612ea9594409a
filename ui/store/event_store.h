// SPDX-License-Identifier: GPL-3.0-or-later
// The spans and memory samples of a run, however many: an index of their blocks, what stays of each, and as many
// decoded ones as a budget holds. Blocks come from a run file, or are made of events as they arrive; of these only so
// many are told apart as an eighth of the budget describes, and older ones are joined.
#pragma once

#include "engine/trace/run_file/run_file.h"
#include "ui/store/memory_track.h"
#include "ui/store/scratch_block_source.h"
#include "ui/store/stored_lane.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace shardlab::ui {

class EventStore {
public:
    explicit EventStore(std::size_t budget = BlockCache::usualBudget) : budget_(budget) {}
    EventStore(const EventStore&) = delete;  // parts of it point at others
    EventStore& operator=(const EventStore&) = delete;

    /// Forgets everything; events of a run of so many ranks arrive, or stored() ones are read.
    void begin(int ranks);
    /// Tells the store before any event that the events lie in `source`, at these places; places of other ranks are
    /// left out.
    void stored(std::shared_ptr<BlockSource> source, std::span<const BlockPlace> places);
    /// The block of a place of stored() was seen.
    void digest(const BlockPlace& place, std::shared_ptr<const BlockDigest> digest);
    /// One of a rank of the run for which isOfBlock().
    void append(const Event& event);

    const StoredLane& lane(int rank, Lane lane) const {
        return ranks_[static_cast<std::size_t>(rank)].lanes[static_cast<std::size_t>(lane)];
    }
    bool hasMemory() const {
        return std::ranges::any_of(ranks_, [](const Rank& rank) { return !rank.memory.empty(); });
    }
    const MemoryTrack& memory(int rank) const { return ranks_[static_cast<std::size_t>(rank)].memory; }
    const std::shared_ptr<BlockCache>& cache() const { return cache_; }
    std::size_t budget() const { return budget_; }
    /// Takes effect with the next run.
    void setBudget(std::size_t bytes) { budget_ = bytes; }
    /// The bytes that stay in memory of the blocks that were seen.
    std::size_t digestBytes() const { return digestBytes_; }
    /// How many blocks a lane of a run that arrives has at most.
    std::size_t mostBlocks() const { return mostBlocks_; }

private:
    struct Rank {
        std::array<StoredLane, laneCount> lanes;
        MemoryTrack memory;
    };
    void use(std::shared_ptr<BlockSource> source, int ranks);
    void seal(int rank, Lane which);
    void join(int rank, Lane which);

    std::size_t budget_;
    std::shared_ptr<BlockCache> cache_;
    std::shared_ptr<ScratchBlockSource> scratch_;  ///< nullptr where the source is a file
    std::vector<Rank> ranks_;
    std::size_t sealAt_ = 0;      ///< events of a lane that make a block
    std::size_t mostBlocks_ = 0;  ///< of a lane of a run that arrives
    std::size_t digestBytes_ = 0;
};

}  // namespace shardlab::ui
