// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/sqlite.h"

#include <sqlite3.h>
#include <utility>

namespace shardlab {
namespace {

constexpr int busyMilliseconds = 2000;
constexpr int longestValue = 64 << 20;  ///< a damaged length must not ask for gigabytes

}  // namespace

Database::Database(sqlite3* handle, std::filesystem::path file) : handle_(handle), file_(std::move(file)) {}
Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), file_(std::move(other.file_)) {}
Database& Database::operator=(Database&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(file_, other.file_);
    return *this;
}
Database::~Database() { sqlite3_close_v2(handle_); }

Result<Database> Database::open(const std::filesystem::path& file, DatabaseMode mode) {
    const int flags = mode == DatabaseMode::Read    ? SQLITE_OPEN_READONLY
                      : mode == DatabaseMode::Write ? SQLITE_OPEN_READWRITE
                                                    : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &handle, flags | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    Database database(handle, file);
    if (handle == nullptr) return fail({"cannot open the run file", file.string(), "no memory", ""});
    if (code != SQLITE_OK) return fail(database.error("cannot open the run file"));
    sqlite3_busy_timeout(handle, busyMilliseconds);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longestValue);
    // A file from anywhere: its schema may call nothing, and its pages are checked as they are read.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    static_cast<void>(database.run("PRAGMA cell_size_check = ON"));
    // SQLite refuses a truncated file outright, unless told that the reader means to salvage.
    if (mode == DatabaseMode::Read) static_cast<void>(database.run("PRAGMA writable_schema = ON"));
    return database;
}

Status Database::run(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return fail(error("cannot use the run file"));
    return {};
}

Result<Statement> Database::prepare(const char* sql) {
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    Statement statement(handle);
    if (code != SQLITE_OK) return fail(error("cannot use the run file"));
    return statement;
}

Result<std::int64_t> Database::number(const char* sql) {
    auto statement = prepare(sql);
    if (!statement) return fail(statement.error());
    if (statement->next() != SQLITE_ROW) return fail(error("cannot read the run file"));
    return statement->number(0);
}

bool Database::inTransaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Status Database::close() {
    if (sqlite3_close(handle_) != SQLITE_OK) return fail(error("cannot close the run file"));
    handle_ = nullptr;
    return {};
}

Error Database::error(const std::string& what) const {
    switch (sqlite3_errcode(handle_) & 0xff) {
        case SQLITE_FULL: return {what, file_.string(), "the disk is full", "Free some space or choose another place"};
        case SQLITE_BUSY: return {what, file_.string(), "another program is writing it", "Choose another file"};
        case SQLITE_CORRUPT: return {what, file_.string(), "it is truncated or damaged", ""};
        case SQLITE_NOTADB: return {what, file_.string(), "its first page is damaged", ""};
        default: return {what, file_.string(), sqlite3_errmsg(handle_), ""};
    }
}

int Database::code() const { return sqlite3_extended_errcode(handle_); }

void Statement::Finalize::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

Statement& Statement::bind(std::int64_t value) {
    sqlite3_bind_int64(handle_.get(), ++bound_, value);
    return *this;
}

Statement& Statement::bind(double value) {
    sqlite3_bind_double(handle_.get(), ++bound_, value);
    return *this;
}

Statement& Statement::bindNull() {
    sqlite3_bind_null(handle_.get(), ++bound_);
    return *this;
}

Statement& Statement::bind(std::string_view text) {
    sqlite3_bind_text64(handle_.get(), ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
}

Statement& Statement::bind(std::span<const std::byte> bytes) {
    sqlite3_bind_blob64(handle_.get(), ++bound_, bytes.data(), bytes.size(), SQLITE_STATIC);
    return *this;
}

int Statement::run() {
    const int code = sqlite3_step(handle_.get());
    reset();
    return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

void Statement::reset() {
    sqlite3_reset(handle_.get());
    sqlite3_clear_bindings(handle_.get());
    bound_ = 0;
}

int Statement::next() { return sqlite3_step(handle_.get()); }

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(handle_.get(), column); }

std::string Statement::text(int column) const {
    const auto part = bytes(column);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
}

std::span<const std::byte> Statement::bytes(int column) const {
    const void* data = sqlite3_column_blob(handle_.get(), column);
    const int size = sqlite3_column_bytes(handle_.get(), column);
    return {static_cast<const std::byte*>(data), data == nullptr ? 0 : static_cast<std::size_t>(size)};
}

}  // namespace shardlab
