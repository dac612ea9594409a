// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_blocks.h"

#include "engine/trace/run_block.h"
#include "engine/trace/run_schema.h"

#include <algorithm>
#include <sqlite3.h>
#include <utility>

namespace shardlab {
namespace {

constexpr int dataColumn = 7;
constexpr int checksumColumn = 8;

/// The row that `row` stands on. Error: the sentence that says which block is wrong, and how.
tl::expected<void, std::string> readBlock(const Statement& row, BlockUnpacker& unpacker, std::vector<Event>& events) {
    const auto data = row.bytes(dataColumn);
    const auto lane = static_cast<Lane>(row.number(3));
    const std::string which = "block " + std::to_string(row.number(0)) + " (rank " + std::to_string(row.number(2)) +
                              ", " + std::string(name(lane)) + " lane) ";
    if (!isWhole(row)) return tl::unexpected(which + "fails its checksum");
    if (const Status unpacked = unpacker.unpack(data, events); !unpacked) return tl::unexpected(which + unpacked.error().why);
    const auto belongs = [&](const Event& event) { return event.lane == lane && event.rank == row.number(2); };
    if (static_cast<std::int64_t>(events.size()) != row.number(4) || !std::ranges::all_of(events, belongs))
        return tl::unexpected(which + "holds other events than it says");
    return {};
}

}  // namespace

bool isWhole(const Statement& row) {
    RowChecksum sum;
    for (int column = 0; column < dataColumn; ++column) sum.add(row.number(column));
    return row.number(checksumColumn) == sum.add(row.bytes(dataColumn)).value();
}

bool damaged(const Database& database) {
    const int code = database.code() & 0xff;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

Error damageIn(const std::filesystem::path& file, const std::string& what) {
    return {"the run is damaged", file.string(), what, ""};
}

Error readFailure(const Database& database, const std::filesystem::path& file, const std::string& what) {
    if (!damaged(database)) return database.error("cannot read the run");
    return damageIn(file, what + " cannot be read: the file is truncated or damaged");
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
            if (rows.number(0) <= last)
                return fail(damageIn(file, "after block " + std::to_string(last) + " the order is broken"));
            last = rows.number(0);
            const auto read = readBlock(rows, unpacker, events);
            if (read) return true;
            if (!damage) damage = damageIn(file, read.error());
        }
        if (code != SQLITE_DONE)
            return fail(readFailure(database, file, "what follows block " + std::to_string(last)));
        if (damage) return fail(*damage);
        return false;
    }
};

BlockCursor::BlockCursor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BlockCursor::BlockCursor(BlockCursor&& other) noexcept = default;
BlockCursor::~BlockCursor() = default;
Result<bool> BlockCursor::next(std::vector<Event>& events) { return impl_->next(events); }

Result<BlockCursor> selectBlocks(Database& database, const std::filesystem::path& file, const BlockFilter& filter,
                                 const std::optional<Error>& damage) {
    std::string sql =
        "SELECT id, source, rank, lane, count, begin, end, data, crc FROM block WHERE source = ?";
    if (filter.rank) sql += " AND rank = ?";
    if (filter.lane) sql += " AND lane = ?";
    if (filter.endsAtOrAfter) sql += " AND end >= ?";
    if (filter.beginsAtOrBefore) sql += " AND begin <= ?";
    auto rows = database.prepare((sql + " ORDER BY id").c_str());
    if (!rows) return fail(readFailure(database, file, "the table of blocks"));
    rows->bind(static_cast<std::int64_t>(filter.source));
    if (filter.rank) rows->bind(static_cast<std::int64_t>(*filter.rank));
    if (filter.lane) rows->bind(static_cast<std::int64_t>(*filter.lane));
    if (filter.endsAtOrAfter) rows->bind(*filter.endsAtOrAfter);
    if (filter.beginsAtOrBefore) rows->bind(*filter.beginsAtOrBefore);
    return BlockCursor(std::make_unique<BlockCursor::Impl>(database, file, std::move(*rows), damage));
}

}  // namespace shardlab
