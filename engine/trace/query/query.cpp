// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/query/query_table.h"

#include "engine/base/library_words.h"
#include "engine/base/units.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <sqlite3.h>
#include <utility>

namespace shardlab::trace {
namespace {

constexpr int stepsBetweenLooks = 1000;      ///< of SQLite's machine: well below a millisecond, where rows are small
constexpr int longestAnswerText = 64 << 20;  ///< bytes, of any text that a question makes; a run file has no longer one

const std::vector<QueryTable>& tables() {
    static const std::vector<QueryTable> all{eventsTable(), stepsTable(), rankStepsTable(), kindsTable(), ranksTable(),
                                             clocksTable(), logTable(),   notesTable(),     runTable()};
    return all;
}

std::string tableNames() {
    std::string names;
    for (const QueryTable& table : tables()) names += (names.empty() ? "" : ", ") + std::string(table.help.name);
    return names;
}

/// Functions that come with SQLite's extensions and have no place in a question to a run: full-text search, whose
/// tokenizers are addresses of code, R-trees, and whatever loads or reads files.
bool isForeign(std::string_view function) {
    static constexpr std::array prefixes = std::to_array<std::string_view>({"fts", "rtree", "geopoly"});
    static constexpr std::array names =
        std::to_array<std::string_view>({"load_extension", "match", "matchinfo", "offsets", "optimize", "snippet",
                                         "bm25", "highlight", "readfile", "writefile", "edit"});
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return function.starts_with(prefix); }) ||
           std::ranges::find(names, function) != names.end();
}

/// A question reads, and reads nothing but the run.
int permit(void*, int action, const char* first, const char* second, const char*, const char*) {
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_READ: return std::string_view(first).starts_with("sqlite_") ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION: return isForeign(second) ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

/// What SQLite's machine asks now and then while a question runs.
struct Watch {
    using Clock = std::chrono::steady_clock;
    const QueryLimits& limits;
    std::function<bool()> cancelled;
    Clock::time_point begun = Clock::now();
    std::int64_t heldBefore = sqlite3_memory_used();
    std::optional<Error> over;  ///< the limit that ended it

    bool ends() {
        if (cancelled && cancelled()) return true;
        const auto refuse = [this](Sentence why, Sentence legal) {
            over = Error{say("the question was ended"), "", std::move(why), std::move(legal)};
            return true;
        };
        if (limits.memory > 0 && sqlite3_memory_used() - heldBefore > limits.memory)
            return refuse(say("it takes more than {} of memory, its limit", formatBytes(limits.memory)),
                          say("a question with fewer or shorter values, or a higher memory limit"));
        if (limits.seconds > 0 && std::chrono::duration<double>(Clock::now() - begun).count() > limits.seconds)
            return refuse(say("it takes longer than {}, its limit", formatSeconds(limits.seconds)),
                          say("a question that ends sooner, or a higher time limit"));
        return false;
    }
};

Sentence oneSelect() { return say("one SELECT over {}", tableNames()); }

struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementPtr = std::unique_ptr<sqlite3_stmt, Finalize>;

Cell columnOf(sqlite3_stmt* row, int column) {
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER: return std::int64_t{sqlite3_column_int64(row, column)};
    case SQLITE_FLOAT: return sqlite3_column_double(row, column);
    case SQLITE_NULL: return {};
    default: {
        const auto* text = static_cast<const char*>(sqlite3_column_blob(row, column));
        return std::string(text ? text : "", static_cast<std::size_t>(sqlite3_column_bytes(row, column)));
    }
    }
}

}  // namespace

std::string toText(const Cell& cell) {
    if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
    if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    return {};
}

std::vector<TableHelp> queryTables() {
    std::vector<TableHelp> all;
    for (const QueryTable& table : tables()) all.push_back(table.help);
    return all;
}

namespace {

/// SQLite's commonest faults of a question in our words.
Sentence reasonOf(std::string_view why) {
    const auto behind = [&](std::string_view words) { return why.starts_with(words) ? why.substr(words.size()) : ""; };
    if (const auto name = behind("no such table: "); !name.empty()) return say("no such table: {}", name);
    if (const auto name = behind("no such column: "); !name.empty()) return say("no such column: {}", name);
    if (const auto name = behind("no such function: "); !name.empty()) return say("no such function: {}", name);
    if (why.ends_with(": syntax error") && why.starts_with("near "))
        return say("syntax error near {}", why.substr(5, why.size() - 5 - std::string_view(": syntax error").size()));
    if (why == "incomplete input") return say("it is not complete");
    return saidByLibrary("SQLite", why);
}

}  // namespace

struct RunQuery::Impl {
    const RunReader& run;
    QueryLimits limits;
    std::optional<Error> damage;  ///< the first that the question met; the connection's tables tell it
    std::unique_ptr<sqlite3, Close> connection;

    Error refusal(const std::string& sql) const {
        const std::string why = sqlite3_errmsg(connection.get());
        if (sqlite3_errcode(connection.get()) == SQLITE_AUTH || why.starts_with("not authorized"))
            return {say("cannot ask"), sql, say("it would do more than read the run"), oneSelect()};
        Sentence legal;
        if (why.starts_with("no such table") || why.starts_with("vtable constructor failed"))
            legal = say("the tables are {}", tableNames());
        if (sqlite3_errcode(connection.get()) == SQLITE_TOOBIG)
            legal = say("texts of at most {}", formatBytes(longestAnswerText));
        if (sqlite3_errcode(connection.get()) == SQLITE_NOMEM) legal = say("a question with fewer or shorter values");
        if (why.starts_with("no such column"))
            legal = say("the columns of each table are listed by shardlab query --tables");
        return {say("cannot ask"), sql, reasonOf(why), legal};
    }

    Result<StatementPtr> prepare(const std::string& sql) {
        sqlite3_stmt* handle = nullptr;
        const char* rest = nullptr;
        const int code = sqlite3_prepare_v2(connection.get(), sql.c_str(), -1, &handle, &rest);
        StatementPtr statement(handle);
        if (code != SQLITE_OK) return fail(refusal(sql));
        if (!statement) return fail({say("cannot ask"), sql, say("it is empty"), oneSelect()});
        if (std::string_view(rest).find_first_not_of(" \t\r\n;") != std::string_view::npos)
            return fail({say("cannot ask"), sql, say("it is more than one statement"), oneSelect()});
        return statement;
    }
};

RunQuery::RunQuery(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunQuery::~RunQuery() = default;

Result<std::unique_ptr<RunQuery>> RunQuery::open(const RunReader& run, const QueryLimits& limits) {
    sqlite3* connection = nullptr;
    const int code = sqlite3_open_v2(":memory:", &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    auto impl = std::make_unique<Impl>(run, limits);
    impl->connection.reset(connection);
    if (code != SQLITE_OK) return fail({say("cannot ask"), "", sqlite3_errstr(code), ""});
    // Each SQLite brings other tables along (dbstat, fts3tokenize); only those of JSON are for a reader.
    const char* kept[] = {"json_each", "json_tree", nullptr};
    sqlite3_drop_modules(connection, kept);
    for (const QueryTable& table : tables())
        if (const Status registered = registerTable(connection, table, run, impl->damage); !registered)
            return fail(registered.error());
    registerFunctions(connection);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, longestAnswerText);
    sqlite3_set_authorizer(connection, permit, nullptr);
    return std::make_unique<RunQuery>(std::move(impl));
}

Status RunQuery::ask(const std::string& sql, const Answer& answer) {
    auto statement = impl_->prepare(sql);
    if (!statement) return fail(statement.error());
    sqlite3_stmt* const row = statement->get();

    impl_->damage.reset();
    Watch watch{impl_->limits, answer.cancelled};
    const auto ends = [](void* context) { return static_cast<Watch*>(context)->ends() ? 1 : 0; };
    sqlite3_progress_handler(impl_->connection.get(), stepsBetweenLooks, ends, &watch);

    std::vector<std::string> head;
    for (int column = 0; column < sqlite3_column_count(row); ++column)
        head.emplace_back(sqlite3_column_name(row, column));
    answer.head(head);
    std::vector<Cell> cells(head.size());
    int code = SQLITE_OK;
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        for (std::size_t column = 0; column < cells.size(); ++column)
            cells[column] = columnOf(row, static_cast<int>(column));
        if (!answer.row(cells)) break;
    }
    sqlite3_progress_handler(impl_->connection.get(), 0, nullptr, nullptr);
    if (code == SQLITE_ROW || code == SQLITE_DONE) {
        sqlite3_reset(row);  // closes what it read
        // An answer may end before it, or be made of what is left.
        if (impl_->damage) return fail(*impl_->damage);
        if (impl_->run.damage()) return fail(*impl_->run.damage());
        return {};
    }
    if (watch.over) return fail(*watch.over);
    if (code == SQLITE_INTERRUPT) return fail({say("the question was cancelled"), "", "", ""});
    return fail(impl_->refusal(sql));
}

}  // namespace shardlab::trace
