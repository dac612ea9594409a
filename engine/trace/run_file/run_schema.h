// SPDX-License-Identifier: Apache-2.0
// What writer and reader of the run file agree on. The format is written down in resources/manual/70-run-file.md.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "engine/trace/run_file/notes.h"
#include "engine/trace/run_file/run_file.h"
#include "engine/trace/run_file/sqlite.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace shardlab::trace {

inline constexpr std::uint32_t runApplicationId = 0x53484c44;  // "SHLD"
inline constexpr std::int64_t runFormatVersion = 5;
/// From here on every table has its seal (table_seals.h).
inline constexpr std::int64_t oldestSealed = 5;
/// From here on the tables that came later are only missing, and the file itself can be read.
inline constexpr std::int64_t oldestReadInPlace = 3;
/// Where SQLite keeps the two in its first page, big-endian.
inline constexpr std::size_t databaseVersionAt = 60;
inline constexpr std::size_t databaseApplicationAt = 68;
inline constexpr std::string_view databaseMagic{"SQLite format 3\0", 16};

extern const char* const runTables;  ///< SQL that creates them

/// SQL that leads from a format version to the next; `from` ascending.
struct Migration {
    std::int64_t from;
    const char* sql;
    Status (*then)(Database&) = nullptr;
};
std::span<const Migration> runMigrations();
/// Brings the database, a copy that may be written, from `version` to the newest, in one transaction.
Status migrate(Database& database, std::int64_t version, std::span<const Migration> migrations);

/// Error: the database has a view, a trigger or anything else that no version of the format has, or declares a table
/// otherwise. Tables that are missing, and what ANALYZE keeps, are no fault.
Status checkSchema(Database& database, const std::filesystem::path& file);

/// The checksum that each row carries: CRC-32C over its other columns in order, integers as 8 bytes little-endian,
/// texts and blobs as they are after their length in 8 bytes.
class RowChecksum {
public:
    RowChecksum& add(std::int64_t value);
    RowChecksum& add(std::string_view text);
    RowChecksum& add(std::span<const std::byte> bytes);
    std::int64_t value() const { return value_; }

private:
    std::uint32_t value_ = 0;
};

std::int64_t checksum(std::string_view key, std::string_view value);  ///< of a row of `meta`
std::int64_t checksum(const RankRecord& record);
std::int64_t checksum(std::int64_t id, const LogLine& line);
std::int64_t checksum(const Note& note);
std::int64_t checksum(std::int64_t number, std::string_view name);  ///< of a row of `name`

/// What a row of `rank` says (rank, host, pid, label, end, crc), and one of `log` (id, time, rank, level, text, crc).
/// Else what is wrong with the row.
tl::expected<RankRecord, Sentence> readRankRow(const Statement& row);
tl::expected<LogLine, Sentence> readLogRow(const Statement& row);

/// Keys of the table `meta`.
namespace meta {
inline constexpr std::string_view header = "header";
inline constexpr std::string_view layout = "layout";
inline constexpr std::string_view end = "end";
inline constexpr std::string_view dropped = "dropped";
inline constexpr std::string_view restarts = "restarts";
inline constexpr std::string_view clocks = "clocks";
inline constexpr std::string_view thinning = "thinning";
}  // namespace meta

/// The header without the layout, which is stored beside it as it was written.
std::string writeHeader(const RunHeader& header);
Status readHeader(std::string_view json, RunHeader& header);
std::string writeEnd(const RunEnd& end);
Status readEnd(std::string_view json, RunEnd& end);
std::string writeRestarts(std::span<const Event> restarts);
Status readRestarts(std::string_view json, std::vector<Event>& restarts);

}  // namespace shardlab::trace
