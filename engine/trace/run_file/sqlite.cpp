// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/sqlite.h"

#include "engine/base/library_words.h"

#include <array>
#include <sqlite3.h>
#include <sys/stat.h>
#include <utility>

namespace shardlab::trace {
namespace {

constexpr int busyMilliseconds = 2000;
constexpr int longestValue = 64 << 20;  ///< a damaged length must not ask for gigabytes
constexpr int stepsBetweenQuestions = 10000;

/// Every check that SQLite has for files that may be damaged, or made to do harm.
void defend(sqlite3* handle) {
    constexpr std::array off{SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                             SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML};
    for (const int each : off) sqlite3_db_config(handle, each, 0, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longestValue);
}

}  // namespace

Status onlyFilesBeside(const std::filesystem::path& file) {
    std::error_code none;
    const std::filesystem::path place = std::filesystem::weakly_canonical(file, none);
    for (const char* suffix : {"-journal", "-wal", "-shm"}) {
        std::filesystem::path beside = none ? file : place;
        struct stat found {};
        if (::lstat((beside += suffix).c_str(), &found) == 0 && !S_ISREG(found.st_mode))
            return fail(
                {say("cannot open the run file"), beside.string(), say("something that is no file has that name"), ""});
    }
    return {};
}

/// Steps of SQLite's machine since the last statement was prepared or run.
struct Database::Work {
    explicit Work(std::filesystem::path of) : file(std::move(of)) {}

    /// The shortest row takes some bytes, and what is asked of a row some dozens of steps; damaged trees of pages lead
    /// in circles.
    bool exceeds() {
        constexpr std::uint64_t least = 20'000'000, perByte = 64;
        done += stepsBetweenQuestions;
        if (done <= allowed) return false;
        std::uint64_t bytes = 0;
        for (const char* suffix : {"", "-wal"}) {
            std::filesystem::path part = file;
            std::error_code none;
            const auto size = std::filesystem::file_size(part += suffix, none);
            if (!none) bytes += size;
        }
        allowed = least + perByte * bytes;  // it may have grown
        return done > allowed;
    }

    std::filesystem::path file;
    std::uint64_t done = 0;
    std::uint64_t allowed = 0;
};

Database::Database(sqlite3* handle, std::filesystem::path file) : handle_(handle), file_(std::move(file)) {}
Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), file_(std::move(other.file_)), work_(std::move(other.work_)) {}
Database& Database::operator=(Database&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(file_, other.file_);
    std::swap(work_, other.work_);
    return *this;
}
Database::~Database() { sqlite3_close_v2(handle_); }

Result<Database> Database::open(const std::filesystem::path& file, DatabaseMode mode,
                                const std::filesystem::path& named) {
    if (const Status files = onlyFilesBeside(file); !files) return fail(files.error());
    const bool reads = mode == DatabaseMode::Read || mode == DatabaseMode::Foreign;
    const int flags = reads                         ? SQLITE_OPEN_READONLY
                      : mode == DatabaseMode::Write ? SQLITE_OPEN_READWRITE
                                                    : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    sqlite3* handle = nullptr;
    const int code =
        sqlite3_open_v2(file.c_str(), &handle, flags | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    Database database(handle, named.empty() ? file : named);
    if (handle == nullptr)
        return fail({say("cannot open the run file"), database.file_.string(), say("no memory"), ""});
    if (code != SQLITE_OK) return fail(database.error(say("cannot open the run file")));
    sqlite3_busy_timeout(handle, busyMilliseconds);
    defend(handle);
    if (reads) {
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
        database.work_ = std::make_unique<Work>(file);
        const auto exceeds = [](void* work) { return static_cast<Work*>(work)->exceeds() ? 1 : 0; };
        sqlite3_progress_handler(handle, stepsBetweenQuestions, exceeds, database.work_.get());
    }
    static_cast<void>(database.run("PRAGMA cell_size_check = ON"));
    // SQLite refuses a truncated file outright, unless told that the reader means to salvage; defensive, it does not
    // listen.
    if (mode == DatabaseMode::Read) static_cast<void>(database.run("PRAGMA writable_schema = ON"));
    else sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    return database;
}

Status Database::run(const char* sql) {
    if (work_) work_->done = 0;
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        return fail(error(say("cannot use the run file")));
    return {};
}

Result<Statement> Database::prepare(const char* sql) {
    if (work_) work_->done = 0;
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    Statement statement(handle);
    if (code != SQLITE_OK) return fail(error(say("cannot use the run file")));
    return statement;
}

Result<std::int64_t> Database::number(const char* sql) {
    auto statement = prepare(sql);
    if (!statement) return fail(statement.error());
    if (statement->next() != SQLITE_ROW) return fail(error(say("cannot read the run file")));
    return statement->number(0);
}

bool Database::inTransaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Status Database::close() {
    if (sqlite3_close(handle_) != SQLITE_OK) return fail(error(say("cannot close the run file")));
    handle_ = nullptr;
    return {};
}

Error Database::error(const Sentence& what) const {
    switch (sqlite3_errcode(handle_) & 0xff) {
    case SQLITE_FULL:
        return {what, file_.string(), say("the disk is full"), say("Free some space or choose another place")};
    case SQLITE_LOCKED:
    case SQLITE_BUSY: return {what, file_.string(), say("another program is writing it"), say("Choose another file")};
    case SQLITE_CORRUPT: return {what, file_.string(), say("it is truncated or damaged"), ""};
    case SQLITE_INTERRUPT:
        return {what, file_.string(), say("reading it takes more work than a file of its size can need: it is damaged"),
                ""};
    case SQLITE_NOTADB: return {what, file_.string(), say("it is no database, or its first page is damaged"), ""};
    case SQLITE_READONLY: return {what, file_.string(), say("it may only be read"), ""};
    case SQLITE_CANTOPEN: return {what, file_.string(), say("it cannot be opened"), ""};
    case SQLITE_IOERR: return {what, file_.string(), say("the disk does not read or write it"), ""};
    case SQLITE_NOMEM: return {what, file_.string(), say("no memory"), ""};
    default: return {what, file_.string(), base::saidByLibrary("SQLite", sqlite3_errmsg(handle_)), ""};
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

bool Statement::isNumber(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_INTEGER; }
bool Statement::isText(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_TEXT; }

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

}  // namespace shardlab::trace
