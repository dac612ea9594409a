// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/layout_file.h"
#include "engine/trace/event_codec.h"
#include "engine/trace/run_block.h"
#include "engine/trace/run_schema.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <map>
#include <sqlite3.h>
#include <tuple>
#include <unistd.h>

namespace shardlab {
namespace {

constexpr std::size_t flushAtEvents = std::size_t{1} << 17;  ///< bounds memory where the caller flushes seldom

struct LaneKey {
    EventSource source;
    std::int16_t rank;
    Lane lane;
    auto operator<=>(const LaneKey&) const = default;
};

/// A block under way, or full and not yet committed.
struct OpenBlock {
    std::int64_t id = 0;  ///< 0 until it is first written
    std::vector<Event> events;
    bool dirty = false;
};

std::filesystem::path beside(const std::filesystem::path& file, const std::string& suffix) {
    std::filesystem::path path = file;
    path += suffix;
    return path;
}

/// An existing file may be replaced where it is empty or a run that nobody is recording.
Status checkReplaceable(const std::filesystem::path& file) {
    const auto refuse = [&](const char* why) {
        return fail({"cannot create the run file", file.string(), why, "Choose another name"});
    };
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return {};
    if (!std::filesystem::is_regular_file(file, ignored)) return refuse("something that is no file has that name");
    std::array<char, 100> page{};
    std::ifstream in(file, std::ios::binary);
    in.read(page.data(), page.size());
    if (in.gcount() == 0 && in.eof()) return {};
    std::uint32_t application = 0;
    std::memcpy(&application, page.data() + databaseApplicationAt, sizeof application);
    if (in.gcount() != static_cast<std::streamsize>(page.size()) || !std::string_view(page.data(), 16).starts_with(databaseMagic) ||
        __builtin_bswap32(application) != runApplicationId)
        return refuse("a file that is no run has that name");
    // The writer of a live run holds its write lock from flush to flush.
    auto database = Database::open(file, DatabaseMode::Write);
    if (!database) return {};
    static_cast<void>(database->run("PRAGMA busy_timeout = 0"));
    if (!database->run("BEGIN IMMEDIATE") && (database->code() & 0xff) == SQLITE_BUSY)
        return refuse("a run is being recorded into it");
    return {};
}

}  // namespace

struct RunWriter::Impl {
    Impl(Database opened, Statement meta, Statement rank, Statement log, Statement name, Statement block)
        : database(std::move(opened)),
          insertMeta(std::move(meta)),
          insertRank(std::move(rank)),
          insertLog(std::move(log)),
          insertName(std::move(name)),
          insertBlock(std::move(block)) {}

    void add(EventSource source, const Event& event) {
        const LaneKey key{source, event.rank, event.lane};
        if (lastBlock == nullptr || key != lastKey) {
            lastBlock = &open[key];
            lastKey = key;
        }
        lastBlock->events.push_back(event);
        lastBlock->dirty = true;
        ++unflushed;
        if (lastBlock->events.size() == largestBlock) {
            full.emplace_back(key, std::move(*lastBlock));
            *lastBlock = {};
        }
    }

    Status begin() { return database.inTransaction() ? Status{} : database.run("BEGIN IMMEDIATE"); }

    bool writeBlock(const LaneKey& key, OpenBlock& block) {
        if (block.id == 0) block.id = nextBlock++;
        const auto data = packer.pack(block.events);
        const std::int64_t first = std::ranges::min(block.events, {}, &Event::begin).begin;
        const std::int64_t last = std::ranges::max(block.events, {}, &Event::end).end;
        RowChecksum sum;
        for (std::int64_t number : {block.id, static_cast<std::int64_t>(key.source), std::int64_t{key.rank},
                                    static_cast<std::int64_t>(key.lane), static_cast<std::int64_t>(block.events.size()),
                                    first, last}) {
            insertBlock.bind(number);
            sum.add(number);
        }
        return insertBlock.bind(data).bind(sum.add(data).value()).run() == SQLITE_OK;
    }

    bool writeAll() {
        for (const auto& [key, value] : metaRows) {
            if (insertMeta.bind(key).bind(value).bind(checksum(key, value)).run() != SQLITE_OK) return false;
        }
        for (const auto& [rank, record] : rankRows) {
            insertRank.bind(std::int64_t{rank}).bind(record.host).bind(std::int64_t{record.pid});
            if (insertRank.bind(record.label).bind(record.end).bind(checksum(record)).run() != SQLITE_OK) return false;
        }
        for (std::size_t i = 0; i < logRows.size(); ++i) {
            const LogLine& line = logRows[i];
            const std::int64_t id = nextLog + static_cast<std::int64_t>(i);
            insertLog.bind(id).bind(line.time).bind(std::int64_t{line.rank}).bind(static_cast<std::int64_t>(line.level));
            if (insertLog.bind(line.text).bind(checksum(id, line)).run() != SQLITE_OK) return false;
        }
        for (const auto& [number, name] : nameRows) {
            const auto id = static_cast<std::int64_t>(number);
            if (insertName.bind(id).bind(name).bind(checksum(id, name)).run() != SQLITE_OK) return false;
        }
        for (auto& [key, block] : full) {
            if (!writeBlock(key, block)) return false;
        }
        for (auto& [key, block] : open) {
            if (block.dirty && !writeBlock(key, block)) return false;
        }
        return true;
    }

    Status flush() {
        const Status begun = begin();
        if (!begun) return fail(database.error("cannot write the run file"));
        if (!writeAll() || !database.run("COMMIT")) {
            const Error why = database.error("cannot write the run file");
            if (database.inTransaction()) static_cast<void>(database.run("ROLLBACK"));
            return fail(why);
        }
        // Only now is it safe: what a failed flush could not store is stored by the next.
        nextLog += static_cast<std::int64_t>(logRows.size());
        metaRows.clear();
        rankRows.clear();
        logRows.clear();
        nameRows.clear();
        full.clear();
        for (auto& [key, block] : open) block.dirty = false;
        unflushed = 0;
        // Taken again at once: the lock says that the run is being recorded. Where that fails now, the next flush says so.
        static_cast<void>(begin());
        return {};
    }

    Database database;
    Statement insertMeta, insertRank, insertLog, insertName, insertBlock;
    BlockPacker packer;
    std::map<std::string, std::string, std::less<>> metaRows;
    std::map<int, RankRecord> rankRows;
    std::vector<LogLine> logRows;
    std::vector<std::pair<std::uint32_t, std::string>> nameRows;
    std::map<LaneKey, OpenBlock> open;  ///< the last, partial block of each lane; rewritten until it is full
    std::deque<std::pair<LaneKey, OpenBlock>> full;
    OpenBlock* lastBlock = nullptr;
    LaneKey lastKey{};
    std::size_t unflushed = 0;
    std::int64_t nextBlock = 1;
    std::int64_t nextLog = 1;
    std::int64_t dropped = 0;
    std::vector<Event> restarts;
    bool finished = false;
};

RunWriter::RunWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

RunWriter::~RunWriter() {
    if (impl_ && !impl_->finished) static_cast<void>(impl_->flush());
}

Result<std::unique_ptr<RunWriter>> RunWriter::create(const std::filesystem::path& file, const RunHeader& header) {
    const Status replaceable = checkReplaceable(file);
    if (!replaceable) return fail(replaceable.error());

    // Made beside with all its tables and renamed: a file of that name is a run from its first moment.
    const std::filesystem::path draft = beside(file, ".new" + std::to_string(::getpid()));
    const auto discard = [&](Error error) {
        for (const char* suffix : {"", "-journal"}) ::unlink(beside(draft, suffix).c_str());
        return fail({"cannot create the run file", file.string(), std::move(error.why), std::move(error.legal)});
    };
    ::unlink(draft.c_str());
    {
        auto made = Database::open(draft, DatabaseMode::Create);
        if (!made) {
            std::error_code reason;
            const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
            if (!std::filesystem::is_directory(folder, reason)) return discard({"", "", "its folder does not exist", ""});
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
            !made->run("COMMIT"))
            return discard(made->error(""));
    }
    // What an older run left of its log must not be taken for this one's.
    for (const char* suffix : {"-wal", "-shm", "-journal"}) ::unlink(beside(file, suffix).c_str());
    std::error_code renamed;
    std::filesystem::rename(draft, file, renamed);
    if (renamed) return discard({"", "", renamed.message(), ""});

    auto database = Database::open(file, DatabaseMode::Write);
    if (!database) return fail(database.error());
    const Status ready = database->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE");
    if (!ready) return fail(database->error("cannot create the run file"));
    auto metaRow = database->prepare("INSERT OR REPLACE INTO meta VALUES(?, ?, ?)");
    auto rankRow = database->prepare("INSERT OR REPLACE INTO rank VALUES(?, ?, ?, ?, ?, ?)");
    auto logRow = database->prepare("INSERT INTO log VALUES(?, ?, ?, ?, ?, ?)");
    auto nameRow = database->prepare("INSERT OR REPLACE INTO name VALUES(?, ?, ?)");
    auto blockRow = database->prepare("INSERT OR REPLACE INTO block VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    if (!metaRow || !rankRow || !logRow || !nameRow || !blockRow) return fail(database->error("cannot create the run file"));
    return std::make_unique<RunWriter>(std::make_unique<Impl>(std::move(*database), std::move(*metaRow), std::move(*rankRow),
                                                              std::move(*logRow), std::move(*nameRow), std::move(*blockRow)));
}

Status RunWriter::appendPredicted(std::span<const Event> events) {
    for (const Event& event : events) impl_->add(EventSource::Predicted, event);
    return impl_->unflushed < flushAtEvents ? Status{} : flush();
}

Status RunWriter::append(std::span<const Event> events) {
    const std::int64_t before = impl_->dropped;
    for (const Event& event : events) {
        impl_->add(EventSource::Measured, event);
        // The comparison also keeps out what is no number.
        if (event.kind == EventKind::Dropped && event.value > 0 && event.value < 1e15)
            impl_->dropped += static_cast<std::int64_t>(event.value);
        if (!isRestart(event)) continue;
        impl_->restarts.push_back(event);
        impl_->metaRows[std::string(meta::restarts)] = writeRestarts(impl_->restarts);
    }
    if (impl_->dropped != before) impl_->metaRows[std::string(meta::dropped)] = std::to_string(impl_->dropped);
    return impl_->unflushed < flushAtEvents ? Status{} : flush();
}

Status RunWriter::append(const LogLine& line) {
    impl_->logRows.push_back(line);
    return {};
}

Status RunWriter::addName(std::uint32_t number, std::string_view name) {
    impl_->nameRows.emplace_back(number, name);
    return {};
}

Status RunWriter::setRank(const RankRecord& record) {
    impl_->rankRows[record.rank] = record;
    return {};
}

Status RunWriter::flush() { return impl_->flush(); }

Status RunWriter::finish(const RunEnd& end) {
    impl_->metaRows[std::string(meta::end)] = writeEnd(end);
    const Status flushed = impl_->flush();
    if (!flushed) return flushed;
    impl_->finished = true;
    Database& database = impl_->database;
    if (database.inTransaction()) static_cast<void>(database.run("ROLLBACK"));  // empty: it only held the lock
    // One file is left. A reader that has it open just now keeps the second, empty one alive: no fault.
    const Status settled = database.run("PRAGMA wal_checkpoint(TRUNCATE)");
    if (settled) static_cast<void>(database.run("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE"));
    impl_.reset();
    return settled;
}

}  // namespace shardlab
