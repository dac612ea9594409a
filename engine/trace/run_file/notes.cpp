// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/notes.h"

#include "engine/trace/run_file/run_file.h"
#include "engine/trace/run_file/run_schema.h"
#include "engine/trace/run_file/table_seals.h"

#include <sqlite3.h>

namespace shardlab::trace {
namespace {

/// The run, with its write lock taken.
Result<Database> opened(const std::filesystem::path& run) {
    // Says in full what is no run.
    if (const auto reader = RunReader::open(run); !reader) return fail(reader.error());
    auto database = Database::open(run, DatabaseMode::Write);
    if (!database)
        return fail({say("cannot keep a note"), run.string(), database.error().why,
                     say("Choose a copy of the run in a folder that can be written")});
    const auto version = database->number("PRAGMA user_version");
    static_cast<void>(database->run("PRAGMA busy_timeout = 200"));
    if (version && *version < runFormatVersion)
        if (const Status migrated = migrate(*database, *version, runMigrations()); !migrated)
            return fail({say("cannot keep a note"), run.string(), migrated.error().why, ""});
    const Status begun = database->run("BEGIN IMMEDIATE");
    if (begun) return std::move(*database);
    if ((database->code() & 0xff) == SQLITE_BUSY)
        return fail(
            {say("cannot keep a note"), run.string(), say("the run is being recorded"), say("wait for its end")});
    return fail({say("cannot keep a note"), run.string(), begun.error().why,
                 say("Choose a copy of the run in a folder that can be written")});
}

Status committed(Database& database, TableSeals& seals, const std::filesystem::path& run, bool written) {
    if (written && seals.store() && database.run("COMMIT")) return {};
    const Error why = database.error(say("cannot keep a note"));
    static_cast<void>(database.run("ROLLBACK"));
    return fail({say("cannot keep a note"), run.string(), why.why, ""});
}

}  // namespace

Status keepNote(const std::filesystem::path& run, Note& note) {
    auto database = opened(run);
    if (!database) return fail(database.error());
    if (note.id <= 0) {
        const auto last = database->number("SELECT coalesce(max(id), 0) FROM note");
        if (!last) return fail(last.error());
        note.id = *last + 1;
    }
    auto row = database->prepare("INSERT OR REPLACE INTO note VALUES(?, ?, ?, ?, ?, ?)");
    if (!row) return fail(row.error());
    TableSeals seals(*database);
    const bool sealed = seals.put(RunTable::Note, {note.id});
    row->bind(note.id).bind(note.time).bind(std::int64_t{note.rank}).bind(note.text).bind(note.created);
    return committed(*database, seals, run, sealed && row->bind(checksum(note)).run() == SQLITE_OK);
}

Status dropNote(const std::filesystem::path& run, std::int64_t id) {
    auto database = opened(run);
    if (!database) return fail(database.error());
    auto row = database->prepare("DELETE FROM note WHERE id = ?");
    if (!row) return fail(row.error());
    TableSeals seals(*database);
    const bool sealed = seals.drop(RunTable::Note, id);
    return committed(*database, seals, run, sealed && row->bind(id).run() == SQLITE_OK);
}

}  // namespace shardlab::trace
