// SPDX-License-Identifier: Apache-2.0
// Questions to a run in SQL. The tables are computed from the run file's blocks as they are read; nothing is copied.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/run_file/run_file.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlab::trace {

/// A value of SQL: NULL, INTEGER, REAL or TEXT.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
/// The cell as a person reads it; NULL is empty.
std::string toText(const Cell& cell);

struct QueryColumn {
    std::string_view name;
    std::string_view type;  ///< INTEGER, REAL or TEXT
    std::string_view help;  ///< with its unit
};

/// A table that a question may name.
struct TableHelp {
    std::string_view name;
    std::string_view help;
    std::span<const QueryColumn> columns;
};
std::vector<TableHelp> queryTables();

/// What a question may take before it is ended with an error that names the limit.
struct QueryLimits {
    double seconds = 0;  ///< 0: no limit, for whoever can cancel
    std::int64_t memory = std::int64_t{1}
                          << 30;  ///< bytes that SQLite holds for it, nearly; sorts go to temporary files
};

/// Beside those of SQLite: an aggregate `percentile(x, p)`, 0 <= p <= 100, linear between the nearest ranks, and
/// `median(x)`; NULLs are passed over.
class RunQuery {
public:
    struct Impl;

    /// `run` must outlive it.
    static Result<std::unique_ptr<RunQuery>> open(const RunReader& run, const QueryLimits& limits = {});
    explicit RunQuery(std::unique_ptr<Impl> impl);
    ~RunQuery();

    struct Answer {
        std::function<void(const std::vector<std::string>& columns)> head;  ///< once, before the first row
        std::function<bool(std::span<const Cell> row)> row;                 ///< false: enough
        std::function<bool()> cancelled;                                    ///< asked now and then; may be empty
    };
    /// One SELECT (WITH, VALUES). Errors: what SQLite says of the text; a statement that would write or leave the run;
    /// a limit that was reached; damage of the run file, after the rows that could be read; "cancelled".
    Status ask(const std::string& sql, const Answer& answer);

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab::trace
