// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/database_shelf.h"

#include "engine/trace/run_file/run_blocks.h"
#include "engine/trace/run_file/run_schema.h"

#include <sqlite3.h>

#include <string>

namespace shardlab::trace {
namespace {

RunTable tableOf(FigureTable table) { return table == FigureTable::Steps ? RunTable::Step : RunTable::RankStep; }
std::string nameOf(FigureTable table) { return std::string(name(tableOf(table))); }

std::int64_t checksumOf(int first, std::span<const std::byte> data) {
    return RowChecksum().add(std::int64_t{first}).add(data).value();
}

}  // namespace

Result<std::optional<PackedFigures>> DatabaseShelf::from(FigureTable table, int first) {
    const std::string what = "its table of figures (" + nameOf(table) + ")";
    auto row = database_.prepare(
        ("SELECT first, data, crc FROM " + nameOf(table) + " WHERE first >= ? ORDER BY first LIMIT 1").c_str());
    if (!row) return fail(readFailure(database_, file_, what));
    row->bind(std::int64_t{first});
    const int code = row->next();
    if (code == SQLITE_DONE) return std::nullopt;
    if (code != SQLITE_ROW) return fail(readFailure(database_, file_, what));
    const auto data = row->bytes(1);
    const auto found = static_cast<int>(row->number(0));
    if (found < first || row->number(2) != checksumOf(found, data))
        return fail(damageIn(file_, say("the figures from step {} on fail their checksum", found)));
    return PackedFigures{found, Bytes(data.begin(), data.end())};
}

Status DatabaseShelf::put(FigureTable table, int first, std::span<const std::byte> data) {
    const std::string sql = data.empty() ? "DELETE FROM " + nameOf(table) + " WHERE first = ?"
                                         : "INSERT OR REPLACE INTO " + nameOf(table) + " VALUES(?, ?, ?)";
    auto row = database_.prepare(sql.c_str());
    if (!row) return fail(row.error());
    if (seals_ != nullptr &&
        !(data.empty() ? seals_->drop(tableOf(table), first) : seals_->put(tableOf(table), {first})))
        return fail(database_.error(say("cannot write the run file")));
    row->bind(std::int64_t{first});
    if (!data.empty()) row->bind(data).bind(checksumOf(first, data));
    return row->run() == SQLITE_OK ? Status{} : fail(database_.error(say("cannot write the run file")));
}

Status DatabaseShelf::dropFrom(FigureTable table, int first) {
    auto row = database_.prepare(("DELETE FROM " + nameOf(table) + " WHERE first >= ?").c_str());
    if (!row) return fail(row.error());
    if (seals_ != nullptr && !seals_->dropFrom(tableOf(table), first))
        return fail(database_.error(say("cannot write the run file")));
    return row->bind(std::int64_t{first}).run() == SQLITE_OK ? Status{}
                                                             : fail(database_.error(say("cannot write the run file")));
}

}  // namespace shardlab::trace
