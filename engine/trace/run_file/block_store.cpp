// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/block_store.h"

#include "engine/trace/event/event_codec.h"
#include "engine/trace/run_file/run_schema.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <sqlite3.h>
#include <utility>

namespace shardlab::trace {

BlockStore::BlockStore(Database& database, TableSeals& seals, Statement insert)
    : database_(database), seals_(seals), insert_(std::move(insert)) {}

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
    for (auto& [key, blocks] : thinned_) stored_[key] = std::move(blocks);
    thinned_.clear();
    for (const auto& [key, block] : full_)
        if (key.source == EventSource::Measured) stored_[key].push_back(describe(block.id, block.events));
    full_.clear();
    for (auto& [key, block] : open_) block.dirty = false;
    unflushed_ = 0;
}

BlockStore::StoredBlock BlockStore::describe(std::int64_t id, std::span<const Event> events) {
    StoredBlock block{.id = id, .count = events.size(), .firstDetail = std::numeric_limits<int>::max()};
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
    const auto putBack = [&]() -> Status {
        auto id = ids.begin();
        for (std::size_t at = 0; at < left.size(); at += largestBlock, ++id) {
            const auto part = std::span(left).subspan(at, std::min(largestBlock, left.size() - at));
            if (!writeBlock(key, *id, part)) return fail(database_.error(say("cannot write the run file")));
            kept.push_back(describe(*id, part));
            kept.back().every = thinning.every;
            kept.back().before = thinning.before;
        }
        for (; id != ids.end(); ++id)
            if (!seals_.drop(RunTable::Block, *id) || drop->bind(*id).run() != SQLITE_OK)
                return fail(database_.error(say("cannot write the run file")));
        left.clear();
        ids.clear();
        return {};
    };
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const StoredBlock& block = blocks[i];
        const bool shrinks = canShrink(block, thinning);
        // A small one before others that shrink is filled up by them.
        const bool joins = block.count < largestBlock / 2 &&
                           (!ids.empty() || (i + 1 < blocks.size() && canShrink(blocks[i + 1], thinning)));
        if (!shrinks && !joins) {
            if (const Status put = putBack(); !put) return fail(put.error());
            kept.push_back(block);
            continue;
        }
        auto events = read(block.id);
        if (!events) return fail(events.error());
        gone += static_cast<std::int64_t>(std::erase_if(
            *events, [&](const Event& event) { return thinning.thinned(event.step) && isDetail(event); }));
        left.insert(left.end(), events->begin(), events->end());
        ids.push_back(block.id);
    }
    if (const Status put = putBack(); !put) return fail(put.error());
    thinned_[key] = std::move(kept);
    return gone;
}

}  // namespace shardlab::trace
