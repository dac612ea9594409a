// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/run_creation.h"

#include "engine/base/socket.h"
#include "engine/base/token.h"
#include "engine/layout/layout_file.h"
#include "engine/trace/run_file/run_schema.h"
#include "engine/trace/run_file/table_seals.h"

#include <array>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sqlite3.h>
#include <unistd.h>
#include <utility>

namespace shardlab::trace {
namespace {

std::filesystem::path beside(const std::filesystem::path& file, const std::string& suffix) {
    std::filesystem::path path = file;
    path += suffix;
    return path;
}

}  // namespace

bool isBeingRecorded(const std::filesystem::path& file) {
    // The writer of a live run holds its write lock from flush to flush.
    auto database = Database::open(file, DatabaseMode::Write);
    if (!database) return false;
    static_cast<void>(database->run("PRAGMA busy_timeout = 0"));
    return !database->run("BEGIN IMMEDIATE") && (database->code() & 0xff) == SQLITE_BUSY;
}

namespace {

/// An existing file may be replaced where it is empty or a run that nobody is recording.
Status checkReplaceable(const std::filesystem::path& file) {
    const auto refuse = [&](const Sentence& why) {
        return fail({say("cannot create the run file"), file.string(), why, say("Choose another name")});
    };
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return {};
    if (!std::filesystem::is_regular_file(file, ignored)) return refuse(say("something that is no file has that name"));
    std::array<char, 100> page{};
    std::ifstream in(file, std::ios::binary);
    in.read(page.data(), page.size());
    if (in.gcount() == 0 && in.eof()) return {};
    std::uint32_t application = 0;
    std::memcpy(&application, page.data() + databaseApplicationAt, sizeof application);
    if (in.gcount() != static_cast<std::streamsize>(page.size()) ||
        !std::string_view(page.data(), 16).starts_with(databaseMagic) ||
        __builtin_bswap32(application) != runApplicationId)
        return refuse(say("a file that is no run has that name"));
    return isBeingRecorded(file) ? refuse(say("a run is being recorded into it")) : Status{};
}

}  // namespace

Result<Database> createRunFile(const std::filesystem::path& file, const RunHeader& header) {
    const Status replaceable = checkReplaceable(file);
    if (!replaceable) return fail(replaceable.error());

    // Made beside with all its tables and renamed: a file of that name is a run from its first moment.
    const auto name = nameBeside(file);
    if (!name) return fail(name.error());
    const std::filesystem::path& draft = *name;
    const auto discard = [&](Error error) {
        for (const char* suffix : {"", "-journal"}) ::unlink(beside(draft, suffix).c_str());
        return fail({say("cannot create the run file"), file.string(), std::move(error.why), std::move(error.legal)});
    };
    {
        // SQLite would follow a link of that name; a file that was made here is none. The mode is SQLite's own.
        const Descriptor empty(::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
        auto made =
            empty.valid() ? Database::open(draft, DatabaseMode::Write) : Result<Database>(fail({"", "", "", ""}));
        if (!made) {
            std::error_code reason;
            const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
            if (!std::filesystem::is_directory(folder, reason))
                return discard({"", "", "its folder does not exist", ""});
            return discard({"", "", "its folder cannot be written", "Choose another folder"});
        }
        const std::string sql = "BEGIN; PRAGMA application_id = " + std::to_string(runApplicationId) +
                                "; PRAGMA user_version = " + std::to_string(runFormatVersion) + ";" + runTables;
        if (!made->run(sql.c_str())) return discard(made->error(""));
        auto insert = made->prepare("INSERT INTO meta VALUES(?, ?, ?)");
        if (!insert) return discard(insert.error());
        const std::string layout = header.layoutJson.empty() ? writeLayout(header.layout) : header.layoutJson;
        const std::string rest = writeHeader(header);
        if (insert->bind(meta::layout).bind(layout).bind(checksum(meta::layout, layout)).run() != SQLITE_OK ||
            insert->bind(meta::header).bind(rest).bind(checksum(meta::header, rest)).run() != SQLITE_OK ||
            !sealAll(*made) || !made->run("COMMIT"))
            return discard(made->error(""));
    }
    // What an older run left of its log must not be taken for this one's.
    for (const char* suffix : {"-wal", "-shm", "-journal"}) ::unlink(beside(file, suffix).c_str());
    std::error_code renamed;
    std::filesystem::rename(draft, file, renamed);
    if (renamed) return discard({"", "", systemReason(renamed.value()), ""});

    auto database = Database::open(file, DatabaseMode::Write);
    if (!database) return fail(database.error());
    const Status ready = database->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE");
    if (!ready) return fail(database->error(say("cannot create the run file")));
    return std::move(*database);
}

}  // namespace shardlab::trace
