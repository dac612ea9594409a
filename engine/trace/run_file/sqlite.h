// SPDX-License-Identifier: Apache-2.0
// SQLite as the store uses it: connections and statements with owners, errors as values.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace shardlab::trace {

/// Foreign: read, a file that another program made. Read: a run, of a truncated one what is left.
enum class DatabaseMode : std::uint8_t { Read, Foreign, Write, Create };

class Statement;

/// Schemas of files may come from anywhere: no view is read, no trigger fires, no function is called that is not
/// harmless, and what a file that is only read makes SQLite do ends where it is more than a file of its size can need.
class Database {
public:
    /// `named` is the file that errors name where `file` is a copy of it.
    static Result<Database> open(const std::filesystem::path& file, DatabaseMode mode,
                                 const std::filesystem::path& named = {});
    Database(Database&& other) noexcept;
    Database& operator=(Database&& other) noexcept;
    ~Database();

    /// Runs statements that give no rows, or whose rows do not matter.
    Status run(const char* sql);
    Result<Statement> prepare(const char* sql);
    /// The first column of the first row.
    Result<std::int64_t> number(const char* sql);
    bool inTransaction() const;
    /// Closes, and reports what only shows then. The destructor does the same silently.
    Status close();

    /// What the last call on this connection complained about. `what` says what was being done.
    Error error(const Sentence& what) const;
    int code() const;  ///< its extended result code

private:
    struct Work;
    Database(sqlite3* handle, std::filesystem::path file);
    sqlite3* handle_;
    std::filesystem::path file_;
    std::unique_ptr<Work> work_;  ///< of a file that is only read
};

/// What lies beside the file under the names of SQLite's logs is files, or nothing. SQLite would wait without end for a
/// pipe to be opened, and write where a link of somebody else's leads. Where the file itself is a link, they lie beside
/// what it leads to. Error: which is none.
Status onlyFilesBeside(const std::filesystem::path& file);

/// One prepared statement: bind all parameters in order, then run() or next().
class Statement {
public:
    explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}

    Statement& bind(std::int64_t value);
    Statement& bind(double value);
    Statement& bindNull();
    Statement& bind(std::string_view text);             ///< copied
    Statement& bind(std::span<const std::byte> bytes);  ///< must live until run()
    /// Executes and makes ready for the next bindings. The result code, SQLITE_OK where it is done.
    int run();
    /// SQLITE_ROW or SQLITE_DONE, or an error's code.
    int next();
    /// Before its last row, or for the next bindings: it reads no more.
    void reset();

    bool isNumber(int column) const;  ///< it is stored as a whole number
    bool isText(int column) const;
    std::int64_t number(int column) const;
    std::string text(int column) const;
    std::span<const std::byte> bytes(int column) const;  ///< valid until next()

private:
    struct Finalize {
        void operator()(sqlite3_stmt* handle) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
    int bound_ = 0;
};

}  // namespace shardlab::trace
