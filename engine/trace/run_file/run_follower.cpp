// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/run_follower.h"

#include "engine/trace/event/event_codec.h"
#include "engine/trace/run_file/run_blocks.h"
#include "engine/trace/run_file/run_schema.h"

#include <array>
#include <sqlite3.h>

namespace shardlab::trace {
namespace {

enum Query : std::size_t { Version, Meta, MetaValue, Ranks, Names, Log, Newest, GrownBlock, NewBlocks, queryCount };

constexpr std::array<const char*, queryCount> querySql{
    "PRAGMA data_version",
    "SELECT key, crc FROM meta",
    "SELECT value FROM meta WHERE key = ?",
    "SELECT rank, host, pid, label, end, crc FROM rank ORDER BY rank",
    "SELECT id, text, crc FROM name WHERE id > ? ORDER BY id",
    "SELECT id, time, rank, level, text, crc FROM log WHERE id > ? ORDER BY id",
    "SELECT ifnull(max(id), 0) FROM block",
    "SELECT id, source, rank, lane, count, begin, end, data, crc FROM block WHERE id = ?",
    "SELECT id, source, rank, lane, count, begin, end, data, crc FROM block WHERE source = ? AND id > ? ORDER BY id",
};

constexpr std::size_t rowOverhead = 32;  ///< what a row costs besides its texts, roughly

}  // namespace

struct RunFollower::Step {
    RowSink& sink;
    std::size_t left;
    bool spent = false;
    void spend(std::size_t bytes) {
        spent = spent || bytes + rowOverhead >= left;
        left -= std::min(left, bytes + rowOverhead);
    }
};

Result<RunFollower> RunFollower::open(const std::filesystem::path& file) {
    auto database = Database::open(file, DatabaseMode::Read);
    if (!database) return fail(database.error());
    if (const Status known = checkSchema(*database, file); !known) return fail(known.error());
    RunFollower follower(file, std::move(*database));
    if (const Status prepared = follower.prepareAll(); !prepared) return fail(prepared.error());
    return follower;
}

Status RunFollower::prepareAll() {
    for (const char* each : querySql) {
        auto statement = database_.prepare(each);
        if (!statement) return fail(readFailure(database_, file_, say("the run file")));
        statements_.push_back(std::move(*statement));
    }
    return {};
}

Result<std::int64_t> RunFollower::newestBlock() {
    Statement& row = statements_[Newest];
    const int code = row.next();
    const std::int64_t newest = code == SQLITE_ROW ? row.number(0) : 0;
    row.reset();
    if (code != SQLITE_ROW) return fail(readFailure(database_, file_, say("its blocks")));
    return newest;
}

Result<bool> RunFollower::step(RunCursor& cursor, std::size_t most, RowSink& sink) {
    if (const Status begun = database_.run("BEGIN"); !begun) return fail(begun.error());
    Step now{sink, most};
    const auto read = readAll(cursor, now);
    for (Statement& statement : statements_) statement.reset();
    static_cast<void>(database_.run("END"));
    return read;
}

Result<bool> RunFollower::readAll(RunCursor& cursor, Step& step) {
    // The pragma's number is of the state that is read from here on, for it begins the read.
    if (const int code = statements_[Meta].next(); code != SQLITE_ROW)
        return fail(readFailure(database_, file_, say("its header")));
    statements_[Meta].reset();
    if (statements_[Version].next() != SQLITE_ROW) return fail(readFailure(database_, file_, say("its state")));
    const std::int64_t version = statements_[Version].number(0);
    if (cursor.complete == version) return false;
    cursor.complete.reset();
    using Part = Status (RunFollower::*)(RunCursor&, Step&);
    for (const Part part : {&RunFollower::readMeta, &RunFollower::readRanks, &RunFollower::readNames,
                            &RunFollower::readLog, &RunFollower::readGrown})
        if (const Status read = (this->*part)(cursor, step); !read) return fail(read.error());
    // Predicted events are all there before the first measured one.
    if (cursor.place.lastBlock(EventSource::Measured) == 0)
        if (const Status read = readNew(cursor, EventSource::Predicted, step); !read) return fail(read.error());
    if (const Status read = readNew(cursor, EventSource::Measured, step); !read) return fail(read.error());
    if (step.spent) return true;
    cursor.complete = version;
    return false;
}

Status RunFollower::finished(int code, const Sentence& what) {
    if (code == SQLITE_DONE || code == SQLITE_ROW) return {};
    return fail(readFailure(database_, file_, what));
}

Status RunFollower::readMeta(RunCursor& cursor, Step& step) {
    Statement& rows = statements_[Meta];
    int code = SQLITE_ROW;
    while (!step.spent && (code = rows.next()) == SQLITE_ROW) {
        const std::string key = rows.text(0);
        const std::int64_t sum = rows.number(1);
        const auto seen = cursor.metaSeen.find(key);
        if (seen != cursor.metaSeen.end() && seen->second == sum) continue;
        Statement& row = statements_[MetaValue];
        if (row.bind(key).next() != SQLITE_ROW) return fail(readFailure(database_, file_, say("its header")));
        const std::string value = row.text(0);
        row.reset();
        if (checksum(key, value) != sum) return fail(damageIn(file_, say("its header fails its checksum")));
        cursor.metaSeen[key] = sum;
        step.sink.meta(key, value);
        step.spend(key.size() + value.size());
    }
    return finished(code, say("its header"));
}

Status RunFollower::readRanks(RunCursor& cursor, Step& step) {
    Statement& rows = statements_[Ranks];
    int code = SQLITE_ROW;
    while (!step.spent && (code = rows.next()) == SQLITE_ROW) {
        const auto seen = cursor.ranksSeen.find(rows.number(0));
        if (seen != cursor.ranksSeen.end() && seen->second == rows.number(5)) continue;
        const auto record = readRankRow(rows);
        if (!record) return fail(damageIn(file_, record.error()));
        cursor.ranksSeen[record->rank] = rows.number(5);
        step.sink.rank(*record);
        step.spend(record->host.size() + record->label.size() + record->end.size());
    }
    return finished(code, say("its list of ranks"));
}

Status RunFollower::readNames(RunCursor& cursor, Step& step) {
    Statement& rows = statements_[Names].bind(cursor.place.name);
    int code = SQLITE_ROW;
    while (!step.spent && (code = rows.next()) == SQLITE_ROW) {
        const std::string text = rows.text(1);
        if (checksum(rows.number(0), text) != rows.number(2))
            return fail(damageIn(file_, say("name {} fails its checksum", rows.number(0))));
        cursor.place.name = rows.number(0);
        step.sink.name(cursor.place.name, text);
        step.spend(text.size());
    }
    return finished(code, say("its table of names"));
}

Status RunFollower::readLog(RunCursor& cursor, Step& step) {
    Statement& rows = statements_[Log].bind(cursor.place.log);
    int code = SQLITE_ROW;
    while (!step.spent && (code = rows.next()) == SQLITE_ROW) {
        const auto line = readLogRow(rows);
        if (!line) return fail(damageIn(file_, line.error()));
        cursor.place.log = rows.number(0);
        step.sink.log(cursor.place.log, *line);
        step.spend(line->text.size());
    }
    return finished(code, say("its log"));
}

/// What the cursor has not of the block that `row` stands on: as it is stored where that is all of it.
Status RunFollower::give(const Statement& row, RunCursor& cursor, Step& step) {
    const std::int64_t block = row.number(0);
    const auto refuse = [&](const Sentence& why) { return fail(damageIn(file_, say("block {} {}", block, why))); };
    if (!isWhole(row)) return refuse(say("fails its checksum"));
    BlockPart part{
        {static_cast<EventSource>(row.number(1)), static_cast<int>(row.number(2)), static_cast<Lane>(row.number(3))},
        block,
        0,
        static_cast<std::uint32_t>(row.number(4)),
        row.bytes(7)};
    if (const auto place = cursor.place.lanes.find(part.of);
        place != cursor.place.lanes.end() && place->second.block == block) {
        if (const Status unpacked = unpacker_.unpack(part.packed, events_); !unpacked)
            return refuse(unpacked.error().why);
        if (events_.size() != part.count) return refuse(say("holds other events than it says"));
        part.first = place->second.taken;
        part.count -= part.first;
        part.packed = packer_.pack(std::span(events_).subspan(part.first));
    }
    if (!cursor.place.take(part)) return refuse(say("is not in its place"));
    step.sink.block(part);
    step.spend(part.packed.size());
    return {};
}

/// The last block of each lane is rewritten until it is full: what it has gained comes before any newer block.
Status RunFollower::readGrown(RunCursor& cursor, Step& step) {
    const std::map<LaneOfRun, RunPosition::Place> lanes = cursor.place.lanes;
    for (const auto& [lane, place] : lanes) {
        if (step.spent) return {};
        if (place.taken == largestBlock) continue;
        Statement& row = statements_[GrownBlock].bind(place.block);
        const int code = row.next();
        if (code != SQLITE_ROW || static_cast<int>(row.number(2)) != lane.rank ||
            row.number(3) != static_cast<int>(lane.lane) || row.number(1) != static_cast<int>(lane.source) ||
            row.number(4) < place.taken) {
            row.reset();
            if (code != SQLITE_ROW && code != SQLITE_DONE) return fail(readFailure(database_, file_, say("a block")));
            return fail({say("cannot go on"), file_.string(), say("the position is not of this run"),
                         say("Begin at its start")});
        }
        const Status given = row.number(4) > place.taken ? give(row, cursor, step) : Status{};
        row.reset();
        if (!given) return given;
    }
    return {};
}

Status RunFollower::readNew(RunCursor& cursor, EventSource source, Step& step) {
    Statement& rows =
        statements_[NewBlocks].bind(static_cast<std::int64_t>(source)).bind(cursor.place.lastBlock(source));
    int code = SQLITE_ROW;
    while (!step.spent && (code = rows.next()) == SQLITE_ROW)
        if (const Status given = give(rows, cursor, step); !given) return given;
    const Status all = finished(code, say("its blocks"));
    rows.reset();
    return all;
}

}  // namespace shardlab::trace
