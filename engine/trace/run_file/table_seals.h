// SPDX-License-Identifier: Apache-2.0
// The table `seal`: how many rows each table of a run file has, and a sum over their keys, so that a row that damage
// hides is missed. The checksum of a row says only whether a row that was found is whole.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/run_file/sqlite.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace shardlab::trace {

enum class RunTable : std::uint8_t { Meta, Rank, Log, Block, Note, Name, Step, RankStep };
inline constexpr std::size_t runTableCount = 8;

std::string_view name(RunTable table);

struct TableSum {
    std::int64_t rows = 0;
    std::int64_t keys = 0;  ///< sum over the rows of the CRC-32C of their key columns
    bool operator==(const TableSum&) const = default;
};

/// Seals every table as it is now, within the caller's transaction.
Status sealAll(Database& database);

/// What is wrong with `table`, "has 3 rows where 4 were written"; none where it is as it was sealed. Reads keys, not
/// contents.
std::optional<Sentence> brokenSeal(Database& database, RunTable table);

/// Follows what a writer puts into the tables and takes out of them. Each call comes before the change that it tells
/// of, within one transaction with it; store() comes before its end.
class TableSeals {
public:
    explicit TableSeals(Database& database) : database_(database) {}

    bool put(RunTable table, std::string_view key);  ///< of `meta`
    /// Key columns in the order of resources/manual/70-run-file.md, the primary key first. A row that has it is
    /// replaced.
    bool put(RunTable table, std::initializer_list<std::int64_t> key);
    bool drop(RunTable table, std::int64_t key);
    bool dropFrom(RunTable table, std::int64_t key);  ///< every row whose key is `key` or later
    bool store();
    void forget();  ///< the transaction was rolled back: what the file holds counts

private:
    struct Sealed {
        std::optional<Statement> find;
        TableSum sum;
        bool known = false;
        bool changed = false;
    };
    Sealed* sealed(RunTable table);
    bool takeOut(Sealed& sealed);

    Database& database_;
    std::array<Sealed, runTableCount> tables_;
};

}  // namespace shardlab::trace
