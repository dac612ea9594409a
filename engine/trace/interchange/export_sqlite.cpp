// SPDX-License-Identifier: Apache-2.0
// The tables of shardlab query as tables of a database: any program that reads SQLite can ask them.
#include "engine/trace/interchange/export.h"

#include "engine/base/scratch_folder.h"
#include "engine/trace/query/query.h"
#include "engine/trace/run_file/sqlite.h"

#include <fstream>
#include <sqlite3.h>
#include <vector>

namespace shardlab::trace {
namespace {

constexpr std::size_t copiedAtOnce = std::size_t{1} << 16;

void bind(Statement& insert, const Cell& cell) {
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) insert.bind(*whole);
    else if (const auto* real = std::get_if<double>(&cell)) insert.bind(*real);
    else if (const auto* text = std::get_if<std::string>(&cell)) insert.bind(std::string_view(*text));
    else insert.bindNull();
}

/// Damage of the run is told after what could be read is there.
Status copyTable(RunQuery& query, const TableHelp& table, Database& database) {
    std::string columns, marks;
    for (const QueryColumn& column : table.columns) {
        columns += (columns.empty() ? "" : ", ") + std::string(column.name) + ' ' + std::string(column.type);
        marks += marks.empty() ? "?" : ", ?";
    }
    const std::string name(table.name);
    if (const Status made = database.run(("CREATE TABLE " + name + "(" + columns + ")").c_str()); !made) return made;
    auto insert = database.prepare(("INSERT INTO " + name + " VALUES(" + marks + ")").c_str());
    if (!insert) return fail(insert.error());
    bool written = true;
    const Status asked = query.ask("SELECT * FROM " + name, {[](const auto&) {},
                                                             [&](std::span<const Cell> row) {
                                                                 for (const Cell& cell : row) bind(*insert, cell);
                                                                 return written = insert->run() == SQLITE_OK;
                                                             },
                                                             {}});
    return written ? asked : fail(database.error(say("cannot export the run")));
}

Status copyInto(const std::filesystem::path& file, ReplacingFile& out) {
    std::ifstream in(file, std::ios::binary);
    std::vector<char> buffer(copiedAtOnce);
    while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0)
        if (const Status written = out.write({buffer.data(), static_cast<std::size_t>(in.gcount())}); !written)
            return written;
    return in.eof()
               ? Status{}
               : fail({say("cannot export the run"), file.string(), say("what was written cannot be read back"), ""});
}

}  // namespace

Status writeRows(const RunReader& run, ReplacingFile& out) {
    const auto folder = ScratchFolder::make("export");
    if (!folder) return fail(folder.error());
    const std::filesystem::path draft = folder->path() / "run.sqlite";
    auto query = RunQuery::open(run);  // no limit of time: a large run takes what it takes
    if (!query) return fail(query.error());
    Status damage;
    {
        auto database = Database::open(draft, DatabaseMode::Create);
        if (!database) return fail(database.error());
        // The database is copied once it is whole: until then it need not survive anything.
        if (const Status begun = database->run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN"); !begun)
            return begun;
        for (const TableHelp& table : queryTables()) {
            const Status copied = copyTable(**query, table, *database);
            if (!copied && !database->inTransaction()) return copied;
            if (!copied && damage) damage = copied;
        }
        if (const Status made =
                database->run("CREATE INDEX events_by_time ON events(source, rank, lane, begin_ns); COMMIT");
            !made)
            return made;
    }
    if (const Status copied = copyInto(draft, out); !copied) return copied;
    return damage;
}

}  // namespace shardlab::trace
