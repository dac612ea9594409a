// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/event_store.h"

#include "engine/trace/event/event_codec.h"

#include <algorithm>
#include <utility>

namespace shardlab::ui {
namespace {

constexpr std::size_t smallestBlock = 256;  ///< of events that arrive on very many lanes
constexpr std::size_t bytesOfDigest = 4096, fewestBlocks = 32, mostOfALane = 2048;

/// What was kept of an event without its span.
Event eventOf(const MemorySample& sample, int rank, Lane lane) {
    return {.begin = sample.time,
            .end = sample.time,
            .bytes = sample.bytes,
            .rank = static_cast<std::int16_t>(rank),
            .lane = lane,
            .kind = memoryKind(sample.category)};
}

std::vector<Event> eventsOf(const DecodedBlock& block, int rank, Lane lane) {
    std::vector<Event> events = block.spans;
    for (const MemorySample& sample : block.memory) events.push_back(eventOf(sample, rank, lane));
    return events;
}

}  // namespace

void EventStore::use(std::shared_ptr<BlockSource> source, int ranks) {
    cache_ = std::make_shared<BlockCache>(std::move(source), budget_);
    ranks_.clear();
    ranks_.resize(static_cast<std::size_t>(ranks));
    for (Rank& rank : ranks_) {
        rank.lanes.fill(StoredLane(cache_));
        MemoryTrack::Open open;
        for (std::size_t lane = 0; lane < rank.lanes.size(); ++lane) open[lane] = &rank.lanes[lane].open().memory;
        rank.memory = MemoryTrack(cache_, open);
    }
    digestBytes_ = 0;
}

void EventStore::begin(int ranks) {
    scratch_ = std::make_shared<ScratchBlockSource>();
    use(scratch_, ranks);
    // What has not filled blocks takes a part of the budget, or little beyond it.
    const std::size_t lanes = std::max<std::size_t>(1, static_cast<std::size_t>(ranks) * 2);
    sealAt_ = std::clamp(budget_ / 4 / sizeof(Event) / lanes, smallestBlock, largestBlock);
    mostBlocks_ = std::clamp(budget_ / 8 / bytesOfDigest / lanes, fewestBlocks, mostOfALane);
}

void EventStore::stored(std::shared_ptr<BlockSource> source, std::span<const BlockPlace> places) {
    scratch_ = nullptr;
    use(std::move(source), static_cast<int>(ranks_.size()));
    for (const BlockPlace& place : places)
        if (place.rank >= 0 && static_cast<std::size_t>(place.rank) < ranks_.size())
            ranks_[static_cast<std::size_t>(place.rank)].lanes[static_cast<std::size_t>(place.lane)].add(
                {place.id, place.begin, place.end, place.count, {}});
}

void EventStore::digest(const BlockPlace& place, std::shared_ptr<const BlockDigest> digest) {
    if (place.rank < 0 || static_cast<std::size_t>(place.rank) >= ranks_.size()) return;
    Rank& rank = ranks_[static_cast<std::size_t>(place.rank)];
    digestBytes_ += digest->bytes();
    rank.memory.add(place.id, digest);
    rank.lanes[static_cast<std::size_t>(place.lane)].digest(place.id, place.begin, std::move(digest));
}

void EventStore::append(const Event& event) {
    Rank& rank = ranks_[static_cast<std::size_t>(event.rank)];
    StoredLane& lane = rank.lanes[static_cast<std::size_t>(event.lane)];
    insert(lane.open(), event);
    if (lane.open().spans.size() + lane.open().memory.size() >= sealAt_) {
        seal(event.rank, event.lane);
        if (lane.entries().size() > mostBlocks_) join(event.rank, event.lane);
    }
}

void EventStore::seal(int rank, Lane which) {
    StoredLane& lane = ranks_[static_cast<std::size_t>(rank)].lanes[static_cast<std::size_t>(which)];
    auto block = std::make_shared<DecodedBlock>(std::exchange(lane.open(), {}));
    const std::vector<Event> events = eventsOf(*block, rank, which);
    const BlockKey key = scratch_->add(events);
    auto digest = std::make_shared<const BlockDigest>(digestOf(*block));
    digestBytes_ += digest->bytes();
    ranks_[static_cast<std::size_t>(rank)].memory.add(key, digest);
    const bool spans = digest->spans > 0;
    const std::int64_t begin = spans ? digest->begin : events.front().begin;
    lane.add({key, begin, spans ? digest->end : begin, static_cast<std::int64_t>(events.size()), std::move(digest)});
    cache_->keep(key, std::move(block));
}

/// The newer half of the blocks stays; of the older one those two become one that together have the fewest events.
void EventStore::join(int rank, Lane which) {
    StoredLane& lane = ranks_[static_cast<std::size_t>(rank)].lanes[static_cast<std::size_t>(which)];
    const auto& entries = lane.entries();
    const auto sum = [&](std::size_t i) { return entries[i].count + entries[i + 1].count; };
    std::size_t at = 0;
    for (std::size_t i = 1; i < entries.size() / 2; ++i)
        if (sum(i) < sum(at)) at = i;
    const StoredLane::Entry &first = entries[at], &second = entries[at + 1];
    std::optional<BlockDigest> digest = joined(*first.digest, *second.digest);
    if (!digest) {
        std::vector<Event> events;
        for (const std::size_t i : {at, at + 1}) {
            const StoredLane::Block block = lane.load(i);
            const std::vector<Event> recorded = eventsOf(*block, rank, which);
            events.insert(events.end(), recorded.begin(), recorded.end());
        }
        digest = digestOf(decodedBlock(events));
    }
    const auto key = scratch_->join(first.key, second.key);
    if (!key) return;
    digestBytes_ += digest->bytes() - first.digest->bytes() - second.digest->bytes();
    const auto kept = std::make_shared<const BlockDigest>(std::move(*digest));
    MemoryTrack& memory = ranks_[static_cast<std::size_t>(rank)].memory;
    memory.drop(first.key);
    memory.drop(second.key);
    memory.add(*key, kept);
    lane.join(at, *key, kept);
}

}  // namespace shardlab::ui
