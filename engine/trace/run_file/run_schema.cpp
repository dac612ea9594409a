// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/run_schema.h"

#include "engine/base/crc32c.h"
#include "engine/base/json_fields.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/event/legal_time.h"
#include "engine/trace/run_file/run_blocks.h"
#include "engine/trace/run_file/table_seals.h"

#include <nlohmann/json.hpp>
#include <set>
#include <sqlite3.h>
#include <utility>

namespace shardlab::trace {
namespace {

using Json = nlohmann::json;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Result<Json> parsed(std::string_view text, std::string_view what) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return fail({say("damaged run file"), "", say("its {} is no JSON object", what), ""});
    return json;
}

constexpr std::size_t mostObjects = 100;  ///< more than a run has

/// The text with one space for any white space.
std::string plain(std::string_view sql) {
    std::string text;
    for (const char c : sql) {
        const bool space = c == ' ' || c == '\n';
        if (!space) text += c;
        else if (!text.empty() && text.back() != ' ') text += ' ';
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

/// How SQLite keeps the declarations of runTables; those that migrations make are the same.
std::set<std::string, std::less<>> declarations() {
    std::set<std::string, std::less<>> all;
    std::string_view rest = runTables;
    for (std::size_t end = 0; (end = rest.find(';')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
        const std::string one = plain(rest.substr(0, end));
        all.insert(one.substr(one.find_first_not_of(' ')));
    }
    return all;
}

}  // namespace

const char* const runTables = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE rank(rank INTEGER PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, label TEXT NOT NULL,
                  end TEXT NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE log(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, rank INTEGER NOT NULL, level INTEGER NOT NULL,
                 text TEXT NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE block(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, rank INTEGER NOT NULL, lane INTEGER NOT NULL,
                   count INTEGER NOT NULL, begin INTEGER NOT NULL, end INTEGER NOT NULL, data BLOB NOT NULL,
                   crc INTEGER NOT NULL);
CREATE TABLE note(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, rank INTEGER NOT NULL, text TEXT NOT NULL,
                  created TEXT NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE step(first INTEGER PRIMARY KEY, data BLOB NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE rank_step(first INTEGER PRIMARY KEY, data BLOB NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE seal(name TEXT PRIMARY KEY, rows INTEGER NOT NULL, keys INTEGER NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID;
)sql";

std::span<const Migration> runMigrations() {
    static constexpr std::array all{
        Migration{1,
                  "CREATE TABLE IF NOT EXISTS name(id INTEGER PRIMARY KEY, text TEXT NOT NULL, crc INTEGER NOT NULL)"},
        Migration{
            2, "CREATE TABLE IF NOT EXISTS note(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, rank INTEGER NOT NULL,"
               " text TEXT NOT NULL, created TEXT NOT NULL, crc INTEGER NOT NULL)"},
        Migration{
            3, "CREATE TABLE IF NOT EXISTS step(first INTEGER PRIMARY KEY, data BLOB NOT NULL, crc INTEGER NOT NULL);"
               "CREATE TABLE IF NOT EXISTS rank_step(first INTEGER PRIMARY KEY, data BLOB NOT NULL, crc INTEGER NOT "
               "NULL)"},
        // A table that was left there says nothing of the rows that came since.
        Migration{4,
                  "DROP TABLE IF EXISTS seal;"
                  "CREATE TABLE seal(name TEXT PRIMARY KEY, rows INTEGER NOT NULL, keys INTEGER NOT NULL, crc INTEGER "
                  "NOT NULL) WITHOUT ROWID",
                  sealAll},
    };
    return all;
}

Status checkSchema(Database& database, const std::filesystem::path& file) {
    const auto known = declarations();
    auto rows = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid");
    if (!rows) return fail(readFailure(database, file, say("its list of tables")));
    int code = 0;
    for (std::size_t read = 0; (code = rows->next()) == SQLITE_ROW; ++read) {
        const std::string type = rows->text(0), name = rows->text(1), sql = plain(rows->text(3));
        if (type != "table" && type != "index" && type != "view" && type != "trigger")
            return fail(damageIn(file, say("its list of tables cannot be read: the file is truncated or damaged")));
        const bool ofSqlite = name.starts_with("sqlite_stat") || name.starts_with("sqlite_autoindex_");
        const bool sound = ofSqlite ? type == "table" || type == "index"
                                    : type == "table" && name == rows->text(2) && known.contains(sql);
        if (sound && read < mostObjects) continue;
        return fail({say("cannot open the run"), file.string(),
                     "its " + (sound ? "list of tables has no end"
                                     : type + " " + name + " is none that a run has, or is declared otherwise"),
                     say("A run is a file that Shardlab has recorded (*.shardlab)")});
    }
    if (code != SQLITE_DONE) return fail(readFailure(database, file, say("its list of tables")));
    return {};
}

Status migrate(Database& database, std::int64_t version, std::span<const Migration> migrations) {
    const Status begun = database.run("BEGIN IMMEDIATE");
    if (!begun) return begun;
    for (const Migration& migration : migrations) {
        if (migration.from < version) continue;
        Status done = database.run(migration.sql);
        if (done && migration.then != nullptr) done = migration.then(database);
        if (!done) return done;
        version = migration.from + 1;
    }
    const std::string mark = "PRAGMA user_version = " + std::to_string(version) + "; COMMIT";
    return database.run(mark.c_str());
}

RowChecksum& RowChecksum::add(std::int64_t value) {
    value_ = crc32c(std::as_bytes(std::span(&value, 1)), value_);
    return *this;
}

RowChecksum& RowChecksum::add(std::string_view text) { return add(std::as_bytes(std::span(text.data(), text.size()))); }

RowChecksum& RowChecksum::add(std::span<const std::byte> bytes) {
    add(static_cast<std::int64_t>(bytes.size()));
    value_ = crc32c(bytes, value_);
    return *this;
}

std::int64_t checksum(std::string_view key, std::string_view value) {
    return RowChecksum().add(key).add(value).value();
}

std::int64_t checksum(const RankRecord& record) {
    return RowChecksum().add(record.rank).add(record.host).add(record.pid).add(record.label).add(record.end).value();
}

std::int64_t checksum(std::int64_t id, const LogLine& line) {
    const auto level = static_cast<std::int64_t>(line.level);
    return RowChecksum().add(id).add(line.time).add(line.rank).add(level).add(line.text).value();
}

std::int64_t checksum(std::int64_t number, std::string_view name) {
    return RowChecksum().add(number).add(name).value();
}

std::int64_t checksum(const Note& note) {
    return RowChecksum().add(note.id).add(note.time).add(note.rank).add(note.text).add(note.created).value();
}

tl::expected<RankRecord, Sentence> readRankRow(const Statement& row) {
    RankRecord record{static_cast<int>(row.number(0)), row.text(1), static_cast<int>(row.number(2)), row.text(3),
                      row.text(4)};
    if (checksum(record) == row.number(5)) return record;
    return tl::unexpected(say("the record of rank {} fails its checksum", record.rank));
}

tl::expected<LogLine, Sentence> readLogRow(const Statement& row) {
    LogLine line{row.number(1), static_cast<int>(row.number(2)), static_cast<LogLevel>(row.number(3)), row.text(4)};
    if (checksum(row.number(0), line) != row.number(5) || line.level > LogLevel::Error)
        return tl::unexpected(say("line {} of its log fails its checksum", row.number(0)));
    if (!isLegalTime(line.time))
        return tl::unexpected(say("line {} of its log is of {} ns, beyond all times", row.number(0), line.time));
    return line;
}

std::optional<double> RunHeader::utilisation(double stepSeconds) const {
    const double seconds = stretch > 0 ? stepSeconds / stretch : stepSeconds;
    if (!hasLayout() || !peak.known() || !(seconds > 0)) return std::nullopt;
    return modelUtilisation(layout, peak, seconds);
}

std::string writeHeader(const RunHeader& header) {
    return dumped(Json{{"created", header.created},
                       {"version", header.version},
                       {"origin", header.origin},
                       {"layout_given", header.layoutGiven},
                       {"paced", header.paced},
                       {"stretch", header.stretch},
                       {"predicted_step_seconds", header.predictedStepSeconds},
                       {"predicted_bubble", header.predictedBubble},
                       {"theoretical_bubble", header.theoreticalBubble},
                       {"predicted_peak", header.predictedPeak},
                       {"capacity_bytes", header.capacityBytes},
                       {"peak_flops", header.peak.flops},
                       {"peak_of", header.peak.of}});
}

Status readHeader(std::string_view text, RunHeader& header) {
    const Result<Json> json = parsed(text, "header");
    if (!json) return fail(json.error());
    take(*json, "created", header.created);
    take(*json, "version", header.version);
    take(*json, "origin", header.origin);
    take(*json, "layout_given", header.layoutGiven);
    take(*json, "paced", header.paced);
    take(*json, "stretch", header.stretch);
    take(*json, "predicted_step_seconds", header.predictedStepSeconds);
    take(*json, "predicted_bubble", header.predictedBubble);
    take(*json, "theoretical_bubble", header.theoreticalBubble);
    take(*json, "capacity_bytes", header.capacityBytes);
    take(*json, "peak_flops", header.peak.flops);
    take(*json, "peak_of", header.peak.of);
    const auto peaks = json->find("predicted_peak");
    if (peaks == json->end() || !peaks->is_array()) return {};
    for (const Json& peak : *peaks) header.predictedPeak.push_back(wholeNumber<std::int64_t>(peak).value_or(0));
    return {};
}

std::string writeRestarts(std::span<const Event> restarts) {
    Json all = Json::array();
    for (const Event& restart : restarts) {
        all.push_back({{"time", restart.begin}, {"step", restart.step}, {"number", restartNumber(restart)}});
        if (const auto ranks = ranksAfter(restart)) all.back()["ranks"] = *ranks;
    }
    return dumped(Json{{"restarts", std::move(all)}});
}

Status readRestarts(std::string_view text, std::vector<Event>& restarts) {
    const Result<Json> json = parsed(text, "list of restarts");
    if (!json) return fail(json.error());
    const auto all = json->find("restarts");
    if (all == json->end() || !all->is_array()) return {};
    for (const Json& each : *all) {
        if (!each.is_object()) continue;
        std::int64_t time = 0, number = 0, ranks = 0;
        std::int32_t step = 0;
        take(each, "time", time);
        take(each, "step", step);
        take(each, "number", number);
        take(each, "ranks", ranks);
        if (!isLegalTime(time))
            return fail({say("damaged run file"), "",
                         "a restart in it is of " + std::to_string(time) + " ns, beyond all times", legalTimes});
        restarts.push_back(
            {time, time, ranks, static_cast<double>(number), 0, step, -1, Lane::Host, EventKind::Restart});
    }
    return {};
}

std::string writeEnd(const RunEnd& end) { return dumped(Json{{"outcome", end.outcome}, {"reason", end.reason}}); }

Status readEnd(std::string_view text, RunEnd& end) {
    const Result<Json> json = parsed(text, "end");
    if (!json) return fail(json.error());
    take(*json, "outcome", end.outcome);
    take(*json, "reason", end.reason);
    return {};
}

}  // namespace shardlab::trace
