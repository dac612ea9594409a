// SPDX-License-Identifier: Apache-2.0
// The table of blocks while a run is recorded: events become blocks lane by lane, and blocks of thinned steps smaller.
#pragma once

#include "engine/trace/run_file/run_block.h"
#include "engine/trace/run_file/run_file.h"
#include "engine/trace/run_file/sqlite.h"
#include "engine/trace/run_file/table_seals.h"
#include "engine/trace/run_file/thinning.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace shardlab::trace {

class BlockStore {
public:
    /// Descriptions of a lane's blocks that are kept: a run of days has a bound.
    static constexpr std::size_t usualDescriptions = 2048;

    /// `insert`: a row of nine columns, inserted or replaced. The database and its seals must outlive it.
    /// `mostDescriptions`, 4 or more: of more blocks in a lane, neighbours of the older half are told as one.
    BlockStore(Database& database, TableSeals& seals, Statement insert,
               std::size_t mostDescriptions = usualDescriptions);

    void add(EventSource source, const Event& event);
    std::size_t unflushed() const { return unflushed_; }
    /// Writes what is not yet there. It counts as unwritten until settle().
    bool write();
    void settle();
    /// What was written or thinned since settle() was undone.
    void forget() { thinned_.clear(); }
    /// Takes the details of thinned steps out of one lane's blocks, within the caller's transaction; the space of what
    /// is left goes to later rows. The block that a lane fills now is left as it is. Returns how many events went.
    Result<std::int64_t> thin(std::size_t lane, const Thinning& thinning);
    std::size_t lanes() const { return stored_.size(); }
    std::size_t descriptions() const;  ///< of blocks in the file

private:
    struct LaneKey {
        EventSource source = EventSource::Measured;
        std::int16_t rank = 0;
        Lane lane = Lane::Compute;
        auto operator<=>(const LaneKey&) const = default;
    };
    /// A block under way, or full and not yet committed.
    struct OpenBlock {
        std::int64_t id = 0;  ///< 0 until it is first written
        std::vector<Event> events;
        bool dirty = false;
    };
    /// A full block in the file, or neighbours in their lane.
    struct StoredBlock {
        std::int64_t id = 0;
        std::int64_t lastId = 0;  ///< `id` where it is one block
        std::size_t count = 0;    ///< events, of all of them
        int firstDetail = 0;      ///< step of its first detail; none where lastDetail is smaller
        int lastDetail = -1;
        int every = -1;  ///< it was thinned by this,
        int before = 0;  ///< and up to here
    };
    using Stored = std::vector<StoredBlock>;

    bool writeBlock(const LaneKey& of, std::int64_t id, std::span<const Event> events);
    static StoredBlock describe(std::int64_t id, std::span<const Event> events);
    static bool canShrink(const StoredBlock& block, const Thinning& thinning);
    static StoredBlock joined(const StoredBlock& earlier, const StoredBlock& later);
    void keepFew(Stored& blocks) const;
    /// The blocks of the lane that are told as one.
    Result<std::vector<std::int64_t>> idsOf(const LaneKey& key, const StoredBlock& block);
    Result<std::vector<Event>> read(std::int64_t id);

    Database& database_;
    TableSeals& seals_;
    Statement insert_;
    std::size_t mostDescriptions_;
    BlockPacker packer_;
    BlockUnpacker unpacker_;
    std::map<LaneKey, OpenBlock> open_;  ///< the last, partial block of each lane; rewritten until it is full
    std::deque<std::pair<LaneKey, OpenBlock>> full_;
    std::map<LaneKey, Stored> stored_;   ///< measured ones
    std::map<LaneKey, Stored> thinned_;  ///< what takes their place once it is committed
    OpenBlock* lastBlock_ = nullptr;
    LaneKey lastKey_{};
    std::size_t unflushed_ = 0;
    std::int64_t nextBlock_ = 1;
};

}  // namespace shardlab::trace
