// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/run_blocks.h"

#include "engine/trace/event/event_codec.h"
#include "engine/trace/event/legal_time.h"
#include "engine/trace/run_file/run_block.h"
#include "engine/trace/run_file/run_schema.h"

#include <algorithm>
#include <sqlite3.h>
#include <utility>

namespace shardlab::trace {
namespace {

constexpr int dataColumn = 7;
constexpr int checksumColumn = 8;

/// The place that a row gives which holds the columns of the table `block` in their order.
BlockPlace placeIn(const Statement& row) {
    return {row.number(0),
            static_cast<int>(row.number(2)),
            static_cast<Lane>(row.number(3)),
            static_cast<int>(row.number(4)),
            row.number(5),
            row.number(6)};
}

Sentence called(const BlockPlace& place) {
    return say("block {} (rank {}, {} lane)", place.id, place.rank, termOf(name(place.lane)));
}

/// The row that `row` stands on. Error: the sentence that says which block is wrong, and how.
tl::expected<void, Sentence> readBlock(const Statement& row, BlockUnpacker& unpacker, std::vector<Event>& events) {
    if (!isWhole(row)) return tl::unexpected(say("{} fails its checksum", called(placeIn(row))));
    return unpackedAs(placeIn(row), row.bytes(dataColumn), unpacker, events);
}

}  // namespace

tl::expected<void, Sentence> unpackedAs(const BlockPlace& place, std::span<const std::byte> packed,
                                        BlockUnpacker& unpacker, std::vector<Event>& events) {
    if (const Status unpacked = unpacker.unpack(packed, events); !unpacked)
        return tl::unexpected(say("{} is damaged: {}", called(place),
                                  Error{unpacked.error().why, {}, {}, unpacked.error().legal}.told()));
    const auto belongs = [&](const Event& event) { return event.lane == place.lane && event.rank == place.rank; };
    if (static_cast<int>(events.size()) == place.count && std::ranges::all_of(events, belongs)) return {};
    events.clear();
    return tl::unexpected(say("{} holds other events than it says", called(place)));
}

Result<std::vector<BlockPlace>> selectPlaces(Database& database, const std::filesystem::path& file,
                                             std::optional<Error>& damage) {
    auto rows =
        database.prepare("SELECT id, source, rank, lane, count, begin, end FROM block WHERE source = 0 ORDER BY id");
    if (!rows) return fail(readFailure(database, file, say("the table of blocks")));
    const auto note = [&](const Sentence& what) {
        if (!damage) damage = damageIn(file, what);
    };
    std::vector<BlockPlace> places;
    std::int64_t last = 0;
    int code = 0;
    while ((code = rows->next()) == SQLITE_ROW) {
        if (rows->number(0) <= last) {  // a damaged tree of pages may lead in circles
            note(say("after block {} the order is broken", last));
            return places;
        }
        last = rows->number(0);
        const bool sound = rows->number(4) >= 1 && rows->number(4) <= static_cast<std::int64_t>(largestBlock) &&
                           rows->number(3) >= 0 && rows->number(3) < laneCount &&
                           rows->number(2) == static_cast<std::int16_t>(rows->number(2)) &&
                           isLegalTime(rows->number(5)) && isLegalTime(rows->number(6));
        if (sound) places.push_back(placeIn(*rows));
        else note(say("block {} holds other events than it says", last));
    }
    if (code != SQLITE_DONE && !damage) damage = readFailure(database, file, say("what follows block {}", last));
    return places;
}

Result<Bytes> selectPacked(Database& database, const std::filesystem::path& file, const BlockPlace& place) {
    auto row = database.prepare("SELECT id, source, rank, lane, count, begin, end, data, crc FROM block WHERE id = ?");
    if (!row) return fail(readFailure(database, file, say("the table of blocks")));
    const int code = row->bind(place.id).next();
    if (code == SQLITE_DONE) return fail(damageIn(file, say("{} is gone", called(place))));
    if (code != SQLITE_ROW) return fail(readFailure(database, file, say("block {}", place.id)));
    if (!isWhole(*row)) return fail(damageIn(file, say("{} fails its checksum", called(place))));
    const auto data = row->bytes(dataColumn);
    return Bytes(data.begin(), data.end());
}

bool isWhole(const Statement& row) {
    RowChecksum sum;
    for (int column = 0; column < dataColumn; ++column) sum.add(row.number(column));
    return row.number(checksumColumn) == sum.add(row.bytes(dataColumn)).value();
}

bool damaged(const Database& database) {
    const int code = database.code() & 0xff;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

Error damageIn(const std::filesystem::path& file, const Sentence& what) {
    return {say("the run is damaged"), file.string(), what, ""};
}

Error readFailure(const Database& database, const std::filesystem::path& file, const Sentence& what) {
    if (!damaged(database)) return database.error(say("cannot read the run"));
    return damageIn(file, say("{} cannot be read: the file is truncated or damaged", what));
}

struct BlockCursor::Impl {
    Database& database;
    std::filesystem::path file;
    Statement rows;
    std::optional<Error> damage;  ///< the first
    BlockUnpacker unpacker{};
    std::int64_t last = 0;  ///< id of the block read last

    Result<bool> next(std::vector<Event>& events) {
        int code = 0;
        while ((code = rows.next()) == SQLITE_ROW) {
            // A damaged tree of pages may lead in circles.
            if (rows.number(0) <= last) return fail(damageIn(file, say("after block {} the order is broken", last)));
            last = rows.number(0);
            const auto read = readBlock(rows, unpacker, events);
            if (read) return true;
            if (!damage) damage = damageIn(file, read.error());
        }
        if (code != SQLITE_DONE) return fail(readFailure(database, file, say("what follows block {}", last)));
        if (damage) return fail(*damage);
        return false;
    }
};

BlockCursor::BlockCursor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BlockCursor::BlockCursor(BlockCursor&& other) noexcept = default;
BlockCursor::~BlockCursor() = default;
Result<bool> BlockCursor::next(std::vector<Event>& events) { return impl_->next(events); }
Status BlockCursor::each(const std::function<Result<bool>(std::span<const Event>)>& sink) {
    std::vector<Event> block;
    for (;;) {
        const auto more = next(block);
        if (!more) return fail(more.error());
        if (!*more) return {};
        const auto goesOn = sink(block);
        if (!goesOn) return fail(goesOn.error());
        if (!*goesOn) return {};
    }
}

const std::optional<Error>& BlockCursor::damage() const { return impl_->damage; }

Result<BlockCursor> selectBlocks(Database& database, const std::filesystem::path& file, const BlockFilter& filter,
                                 const std::optional<Error>& damage) {
    std::string sql = "SELECT id, source, rank, lane, count, begin, end, data, crc FROM block WHERE source = ?";
    if (filter.rank) sql += " AND rank = ?";
    if (filter.lane) sql += " AND lane = ?";
    if (filter.endsAtOrAfter) sql += " AND end >= ?";
    if (filter.beginsAtOrBefore) sql += " AND begin <= ?";
    auto rows = database.prepare((sql + " ORDER BY id").c_str());
    if (!rows) return fail(readFailure(database, file, say("the table of blocks")));
    rows->bind(static_cast<std::int64_t>(filter.source));
    if (filter.rank) rows->bind(static_cast<std::int64_t>(*filter.rank));
    if (filter.lane) rows->bind(static_cast<std::int64_t>(*filter.lane));
    if (filter.endsAtOrAfter) rows->bind(*filter.endsAtOrAfter);
    if (filter.beginsAtOrBefore) rows->bind(*filter.beginsAtOrBefore);
    return BlockCursor(std::make_unique<BlockCursor::Impl>(database, file, std::move(*rows), damage));
}

}  // namespace shardlab::trace
