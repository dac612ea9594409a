// SPDX-License-Identifier: Apache-2.0
// What a table of the query engine is made of. Adding one = such a table and a line in query.cpp.
#pragma once

#include "engine/trace/query/query.h"

#include <optional>

struct sqlite3;

namespace shardlab::trace {

enum class Comparison : std::uint8_t { Equal, AtLeast, AtMost };

/// A condition of the question that a table may use to read less. SQLite checks every row itself all the same.
struct Condition {
    int column = 0;
    Comparison comparison = Comparison::Equal;
    Cell value;
};

class RowSource {
public:
    virtual ~RowSource() = default;
    /// Moves to the next row, at first to the first; false after the last.
    virtual Result<bool> next() = 0;
    virtual Cell cell(int column) const = 0;
    /// What was met of the run's damage so far, also where the question wants no further rows.
    virtual std::optional<Error> damage() const { return std::nullopt; }
};

struct QueryTable {
    TableHelp help;
    std::vector<int> narrowing;  ///< columns whose conditions `open` uses
    Result<std::unique_ptr<RowSource>> (*open)(const RunReader& run, std::span<const Condition> conditions);
};

/// Rows that were all made beforehand.
using MadeRows = std::vector<std::vector<Cell>>;
std::unique_ptr<RowSource> rowsOf(MadeRows rows);

QueryTable eventsTable();
QueryTable stepsTable();
QueryTable rankStepsTable();
QueryTable kindsTable();
QueryTable ranksTable();
QueryTable clocksTable();
QueryTable logTable();
QueryTable notesTable();
QueryTable runTable();

/// Makes `table` known to the connection, which all arguments must outlive. `damage`: the first that a question meets.
Status registerTable(sqlite3* connection, const QueryTable& table, const RunReader& run, std::optional<Error>& damage);
void registerFunctions(sqlite3* connection);

}  // namespace shardlab::trace
