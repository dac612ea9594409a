// SPDX-License-Identifier: GPL-3.0-or-later
// One lane of one rank: an index of its blocks, of which the events are read when they are needed, and the events that
// have not yet filled a block. On the user interface's thread.
#pragma once

#include "ui/store/block_cache.h"
#include "ui/store/block_digest.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace shardlab::ui {

class StoredLane {
public:
    using Block = BlockCache::Block;

    /// A block of the lane, by its place among them. Blocks may overlap: events are recorded when they end.
    struct Entry {
        BlockKey key = 0;
        std::int64_t begin = 0, end = 0;            ///< within which its spans lie
        std::int64_t count = 0;                     ///< events; spans at most
        std::shared_ptr<const BlockDigest> digest;  ///< nullptr until its events were seen
    };
    /// What lies in some stretch of time.
    struct Touching {
        std::vector<std::size_t> blocks;  ///< ascending by begin
        bool open = false;                ///< and events that have not filled a block
    };

    explicit StoredLane(std::shared_ptr<BlockCache> cache = {}) : cache_(std::move(cache)) {}

    bool empty() const { return entries_.empty() && open_.spans.empty(); }
    /// The latest end of anything; 0 where there is nothing.
    std::int64_t lastEnd() const;
    const std::vector<Entry>& entries() const { return entries_; }
    BlockCache* cache() const { return cache_.get(); }
    const DecodedBlock& open() const { return open_; }

    /// Spans that end after `begin` and begin before `end` may be in these.
    Touching touching(std::int64_t begin, std::int64_t end) const;
    /// Reads where it must.
    Block load(std::size_t entry) const { return cache_->load(entries_[entry].key); }

    // Questions that read blocks, and wait for them: about few, or one after the other. All ascending by begin.
    /// Spans that end after `begin` and begin before `end`.
    std::vector<Event> within(std::int64_t begin, std::int64_t end) const;
    /// How many those are. Reads no more than the blocks at both ends.
    std::int64_t count(std::int64_t begin, std::int64_t end) const;
    /// Spans of the step that begin within [begin, end). Of blocks of which no step is known yet only those are read
    /// that touch `likely`.
    struct Stretch {
        std::int64_t begin, end;
    };
    std::vector<Event> ofStep(std::int32_t step, Stretch within, Stretch likely) const;
    /// The first span that begins at or after `time` (behind `from`, where that is one of the lane) and is wanted.
    std::optional<Event> next(std::int64_t time, const std::function<bool(const Event&)>& wanted,
                              const Event* from = nullptr) const;
    /// The last span that begins before `time` (or is before `from`) and is wanted.
    std::optional<Event> previous(std::int64_t time, const std::function<bool(const Event&)>& wanted,
                                  const Event* from = nullptr) const;
    std::vector<Event> all() const;
    /// Nanoseconds of each paint in [begin, end): exact where that is short, else as exact as overviews are.
    Coverage coverage(std::int64_t begin, std::int64_t end) const;
    /// Whether everything in [begin, end) was seen, and there is something.
    bool known(std::int64_t begin, std::int64_t end) const;

    /// All spans, part after part: each page those that begin after all of the page before.
    std::size_t pages() const { return entries_.empty() ? (open_.spans.empty() ? 0 : 1) : entries_.size(); }
    std::vector<Event> page(std::size_t page) const;
    /// The page of what begins then. The number of a page counts until blocks are added or joined.
    std::size_t pageAt(std::int64_t time) const;
    /// Where a page begins; that of the first is the beginning of time.
    std::int64_t pageBegin(std::size_t page) const;
    /// Entries that a page needs.
    std::vector<std::size_t> entriesOf(std::size_t page) const;

    void add(Entry entry);
    /// Gives the entry that was added with this key and begin its digest.
    void digest(BlockKey key, std::int64_t begin, std::shared_ptr<const BlockDigest> digest);
    /// Puts one block, which has the events of both, in the place of an entry and the next.
    void join(std::size_t entry, BlockKey key, std::shared_ptr<const BlockDigest> digest);
    DecodedBlock& open() { return open_; }

private:
    void refreshReach(std::size_t from);
    template <class Visit>
    void visit(const Touching& touching, const Visit& visit) const;

    std::shared_ptr<BlockCache> cache_;
    std::vector<Entry> entries_;       ///< ascending by begin
    std::vector<std::int64_t> reach_;  ///< latest end of the entries up to this one
    DecodedBlock open_;
};

}  // namespace shardlab::ui
