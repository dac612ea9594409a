// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/block_store.h"

#include "engine/trace/event/event_codec.h"
#include "engine/trace/run_file/run_schema.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <sqlite3.h>
#include <utility>

namespace shardlab::trace {

BlockStore::BlockStore(Database& database, TableSeals& seals, Statement insert, std::size_t mostDescriptions)
    : database_(database), seals_(seals), insert_(std::move(insert)), mostDescriptions_(mostDescriptions) {}

void BlockStore::add(EventSource source, const Event& event) {
    const LaneKey key{source, event.rank, event.lane};
    if (lastBlock_ == nullptr || key != lastKey_) {
        lastBlock_ = &open_[key];
        lastKey_ = key;
    }
    lastBlock_->events.push_back(event);
    lastBlock_->dirty = true;
    ++unflushed_;
    if (lastBlock_->events.size() == largestBlock) {
        full_.emplace_back(key, std::move(*lastBlock_));
        *lastBlock_ = {};
    }
}

bool BlockStore::writeBlock(const LaneKey& of, std::int64_t id, std::span<const Event> events) {
    const auto data = packer_.pack(events);
    const std::int64_t first = std::ranges::min(events, {}, &Event::begin).begin;
    const std::int64_t last = std::ranges::max(events, {}, &Event::end).end;
    const std::initializer_list<std::int64_t> key{id,
                                                  static_cast<std::int64_t>(of.source),
                                                  of.rank,
                                                  static_cast<std::int64_t>(of.lane),
                                                  static_cast<std::int64_t>(events.size()),
                                                  first,
                                                  last};
    if (!seals_.put(RunTable::Block, key)) return false;
    RowChecksum sum;
    for (const std::int64_t number : key) {
        insert_.bind(number);
        sum.add(number);
    }
    return insert_.bind(data).bind(sum.add(data).value()).run() == SQLITE_OK;
}

bool BlockStore::write() {
    const auto put = [this](const LaneKey& key, OpenBlock& block) {
        if (block.id == 0) block.id = nextBlock_++;
        return writeBlock(key, block.id, block.events);
    };
    for (auto& [key, block] : full_)
        if (!put(key, block)) return false;
    for (auto& [key, block] : open_)
        if (block.dirty && !put(key, block)) return false;
    return true;
}

void BlockStore::settle() {
    for (auto& [key, blocks] : thinned_) keepFew(stored_[key] = std::move(blocks));
    thinned_.clear();
    for (const auto& [key, block] : full_) {
        if (key.source != EventSource::Measured) continue;
        Stored& blocks = stored_[key];
        blocks.push_back(describe(block.id, block.events));
        keepFew(blocks);
    }
    full_.clear();
    for (auto& [key, block] : open_) block.dirty = false;
    unflushed_ = 0;
}

BlockStore::StoredBlock BlockStore::describe(std::int64_t id, std::span<const Event> events) {
    StoredBlock block{.id = id, .lastId = id, .count = events.size(), .firstDetail = std::numeric_limits<int>::max()};
    for (const Event& event : events) {
        if (!isDetail(event)) continue;
        block.firstDetail = std::min(block.firstDetail, event.step);
        block.lastDetail = std::max(block.lastDetail, event.step);
    }
    return block;
}

bool BlockStore::canShrink(const StoredBlock& block, const Thinning& thinning) {
    if (block.lastDetail < block.firstDetail || block.firstDetail >= thinning.before) return false;
    if (block.every == thinning.every && block.lastDetail < block.before) return false;
    for (int step = block.firstDetail; step <= std::min(block.lastDetail, thinning.before - 1); ++step)
        if (thinning.thinned(step)) return true;
    return false;
}

BlockStore::StoredBlock BlockStore::joined(const StoredBlock& earlier, const StoredBlock& later) {
    StoredBlock both{.id = earlier.id,
                     .lastId = later.lastId,
                     .count = earlier.count + later.count,
                     .firstDetail = std::min(earlier.firstDetail, later.firstDetail),
                     .lastDetail = std::max(earlier.lastDetail, later.lastDetail)};
    if (earlier.every == later.every) {
        both.every = earlier.every;
        both.before = std::min(earlier.before, later.before);
    }
    return both;
}

/// What the descriptions of many blocks tell is coarser, so that more of them are read when steps are thinned.
void BlockStore::keepFew(Stored& blocks) const {
    while (blocks.size() > mostDescriptions_) {
        const std::size_t older = std::min(mostDescriptions_, blocks.size()) / 2;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < older; i += 2)
            blocks[kept++] = i + 1 < older ? joined(blocks[i], blocks[i + 1]) : blocks[i];
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(kept),
                     blocks.begin() + static_cast<std::ptrdiff_t>(older));
    }
}

std::size_t BlockStore::descriptions() const {
    return std::transform_reduce(stored_.begin(), stored_.end(), std::size_t{0}, std::plus(),
                                 [](const auto& lane) { return lane.second.size(); });
}

Result<std::vector<std::int64_t>> BlockStore::idsOf(const LaneKey& key, const StoredBlock& block) {
    if (block.id == block.lastId) return std::vector{block.id};
    auto rows = database_.prepare(
        "SELECT id FROM block WHERE id BETWEEN ? AND ? AND source = ? AND rank = ? AND lane = ? ORDER BY id");
    if (!rows) return fail(rows.error());
    rows->bind(block.id).bind(block.lastId).bind(static_cast<std::int64_t>(key.source));
    rows->bind(static_cast<std::int64_t>(key.rank)).bind(static_cast<std::int64_t>(key.lane));
    std::vector<std::int64_t> ids;
    int code = 0;
    while ((code = rows->next()) == SQLITE_ROW) ids.push_back(rows->number(0));
    if (code != SQLITE_DONE) return fail(database_.error(say("cannot read the run file again")));
    return ids;
}

Result<std::vector<Event>> BlockStore::read(std::int64_t id) {
    auto row = database_.prepare("SELECT data FROM block WHERE id = ?");
    if (!row) return fail(row.error());
    std::vector<Event> events;
    if (row->bind(id).next() != SQLITE_ROW) return fail(database_.error(say("cannot read the run file again")));
    if (const Status unpacked = unpacker_.unpack(row->bytes(0), events); !unpacked) return fail(unpacked.error());
    return events;
}

Result<std::int64_t> BlockStore::thin(std::size_t lane, const Thinning& thinning) {
    const auto& [key, blocks] = *std::next(stored_.begin(), static_cast<std::ptrdiff_t>(lane));
    auto drop = database_.prepare("DELETE FROM block WHERE id = ?");
    if (!drop) return fail(drop.error());

    Stored kept;                    // the lane afterwards
    std::vector<Event> left;        // of the blocks taken apart, in their order
    std::vector<std::int64_t> ids;  // of these blocks: what is left of them goes into the first of them
    std::int64_t gone = 0;
    /// Full blocks, so that few events wait, or all that waits.
    const auto putBack = [&](bool all) -> Status {
        auto id = ids.begin();
        std::size_t at = 0;
        for (std::size_t size = 0; left.size() - at >= (all ? 1 : largestBlock); at += size, ++id) {
            size = std::min(largestBlock, left.size() - at);
            const auto part = std::span(left).subspan(at, size);
            if (!writeBlock(key, *id, part)) return fail(database_.error(say("cannot write the run file")));
            kept.push_back(describe(*id, part));
            kept.back().every = thinning.every;
            kept.back().before = thinning.before;
        }
        left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(at));
        for (; all && id != ids.end(); ++id)
            if (!seals_.drop(RunTable::Block, *id) || drop->bind(*id).run() != SQLITE_OK)
                return fail(database_.error(say("cannot write the run file")));
        ids.erase(ids.begin(), id);
        return {};
    };
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const StoredBlock& block = blocks[i];
        const bool shrinks = canShrink(block, thinning);
        // A small one before others that shrink is filled up by them.
        const bool joins = block.count < largestBlock / 2 &&
                           (!ids.empty() || (i + 1 < blocks.size() && canShrink(blocks[i + 1], thinning)));
        if (!shrinks && !joins) {
            if (const Status put = putBack(true); !put) return fail(put.error());
            kept.push_back(block);
            continue;
        }
        const auto all = idsOf(key, block);
        if (!all) return fail(all.error());
        for (const std::int64_t id : *all) {
            auto events = read(id);
            if (!events) return fail(events.error());
            gone += static_cast<std::int64_t>(std::erase_if(
                *events, [&](const Event& event) { return thinning.thinned(event.step) && isDetail(event); }));
            left.insert(left.end(), events->begin(), events->end());
            ids.push_back(id);
            if (const Status put = putBack(false); !put) return fail(put.error());
        }
    }
    if (const Status put = putBack(true); !put) return fail(put.error());
    thinned_[key] = std::move(kept);
    return gone;
}

}  // namespace shardlab::trace
