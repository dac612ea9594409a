// SPDX-License-Identifier: Apache-2.0
#include "engine/base/units.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/metrics/figure_recording.h"
#include "engine/trace/run_file/block_store.h"
#include "engine/trace/run_file/database_shelf.h"
#include "engine/trace/run_file/disk_reserve.h"
#include "engine/trace/run_file/run_creation.h"
#include "engine/trace/run_file/run_schema.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <map>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <utility>

namespace shardlab::trace {
namespace {

/// Bounds memory where the caller flushes seldom. Each flush writes what lanes have begun, which a later one writes
/// again.
constexpr std::size_t flushAtEvents = std::size_t{1} << 19;
constexpr std::int64_t limitPerFlushedEvent = 128;  ///< bytes: one flush takes about a tenth of a limit at most
// The shares of the size limit at which thinning begins, and to which it goes, so that it is not done at every flush.
constexpr double thinAbove = 0.8;
constexpr double thinTo = 0.6;
// What must be left on the disk, so that there is room to thin in, and the size from which that is worth it.
constexpr std::int64_t leastLeft = std::int64_t{32} << 20;
constexpr std::int64_t leastForThinning = std::int64_t{1} << 20;
constexpr std::int64_t leastToThin = std::int64_t{256} << 10;
constexpr std::int64_t roomForTheEnd = std::int64_t{64} << 10;  ///< bytes: the few pages that a run's end changes

using FileIdentity = std::pair<dev_t, ino_t>;

/// Which file has the name; none where nothing has it.
std::optional<FileIdentity> identityOf(const std::filesystem::path& file) {
    struct stat data {};
    if (::stat(file.c_str(), &data) != 0) return std::nullopt;
    return FileIdentity{data.st_dev, data.st_ino};
}

}  // namespace

struct RunWriter::Impl {
    Impl(Database opened, const std::filesystem::path& path, const RunHeader& header)
        : database(std::move(opened)), place(path), identity(identityOf(path)), asked(header.layout.run),
          seals(database), shelf(database, path, &seals),
          figures(rankCount(header.layout), flushes(header.layout), sentBytesOf(header), shelf),
          thinning(Thinning::of(header.layout.run)) {
        thinning.first = -1;
        flushSmaller();
    }

    void flushSmaller() {
        if (thinning.sizeLimit > 0)
            flushAt = std::clamp<std::size_t>(static_cast<std::size_t>(thinning.sizeLimit / limitPerFlushedEvent), 1024,
                                              flushAtEvents);
    }

    Status prepare() {
        const auto make = [this](std::optional<Statement>& statement, const char* sql) {
            auto made = database.prepare(sql);
            if (made) statement.emplace(std::move(*made));
            return made.has_value();
        };
        std::optional<Statement> insertBlock;
        if (!make(insertMeta, "INSERT OR REPLACE INTO meta VALUES(?, ?, ?)") ||
            !make(insertRank, "INSERT OR REPLACE INTO rank VALUES(?, ?, ?, ?, ?, ?)") ||
            !make(insertLog, "INSERT INTO log VALUES(?, ?, ?, ?, ?, ?)") ||
            !make(insertName, "INSERT OR REPLACE INTO name VALUES(?, ?, ?)") ||
            !make(insertBlock, "INSERT OR REPLACE INTO block VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"))
            return fail(database.error(base::say("cannot create the run file")));
        blocks.emplace(database, seals, std::move(*insertBlock));
        return thinning.sizeLimit > 0 ? keepLogSmall() : Status{};
    }

    Status keepLogSmall() {
        keepThinning();
        // The log beside the file takes its share of the limit, too.
        const auto pageSize = database.number("PRAGMA page_size");
        const std::int64_t pages =
            std::clamp<std::int64_t>(thinning.sizeLimit / (16 * pageSize.value_or(4096)), 16, 1000);
        const std::string sql = "PRAGMA wal_autocheckpoint = " + std::to_string(pages) +
                                "; PRAGMA journal_size_limit = " + std::to_string(thinning.sizeLimit / 16);
        return database.run(sql.c_str());
    }

    Status begin() { return database.inTransaction() ? Status{} : database.run("BEGIN IMMEDIATE"); }

    bool writeRows() {
        for (const auto& [key, value] : metaRows) {
            if (!seals.put(RunTable::Meta, key) ||
                insertMeta->bind(key).bind(value).bind(checksum(key, value)).run() != SQLITE_OK)
                return false;
        }
        for (const auto& [rank, record] : rankRows) {
            if (!seals.put(RunTable::Rank, {rank})) return false;
            insertRank->bind(std::int64_t{rank}).bind(record.host).bind(std::int64_t{record.pid});
            if (insertRank->bind(record.label).bind(record.end).bind(checksum(record)).run() != SQLITE_OK) return false;
        }
        for (std::size_t i = 0; i < logRows.size(); ++i) {
            const LogLine& line = logRows[i];
            const std::int64_t id = nextLog + static_cast<std::int64_t>(i);
            if (!seals.put(RunTable::Log, {id})) return false;
            insertLog->bind(id)
                .bind(line.time)
                .bind(std::int64_t{line.rank})
                .bind(static_cast<std::int64_t>(line.level));
            if (insertLog->bind(line.text).bind(checksum(id, line)).run() != SQLITE_OK) return false;
        }
        for (const auto& [number, name] : nameRows) {
            const auto id = static_cast<std::int64_t>(number);
            if (!seals.put(RunTable::Name, {id}) ||
                insertName->bind(id).bind(name).bind(checksum(id, name)).run() != SQLITE_OK)
                return false;
        }
        return true;
    }

    /// What was begun is undone; what it would have stored is stored by the next flush.
    Status undo() {
        const Error why = database.error(base::say("cannot write the run file"));
        if (database.inTransaction()) static_cast<void>(database.run("ROLLBACK"));
        blocks->forget();
        seals.forget();
        return fail(why);
    }

    Status commit() {
        if (!writeRows() || !blocks->write() || !figures.store() || !seals.store() || !database.run("COMMIT"))
            return undo();
        nextLog += static_cast<std::int64_t>(logRows.size());
        metaRows.clear();
        rankRows.clear();
        logRows.clear();
        nameRows.clear();
        blocks->settle();
        figures.settle();
        return {};
    }

    Status flush() {
        // SQLite goes on writing into a file that has lost its name, and all of it would be gone at the end.
        if (!identity || identityOf(place) != identity)
            return fail({base::say("cannot write the run file"), place.string(),
                         base::say("it was removed or replaced while it was recorded"),
                         base::say("a file that stays where it is until the run has ended")});
        if (!begin()) return fail(database.error(base::say("cannot write the run file")));
        if (const Status done = commit(); !done) return done;
        if (const Status made = limitOnFullDisk(); !made) return made;
        if (thinning.sizeLimit > 0)
            if (const Status held = holdLimit(); !held) return held;
        // Taken again at once: the lock says that the run is being recorded. Where that fails now, the next flush says
        // so.
        static_cast<void>(begin());
        return {};
    }

    /// Where all that is pending does not fit, the end alone does: its room on the disk was kept. Where it is the log
    /// beside the file that may not grow, the end takes the place of what that holds and the file takes in.
    void commitAlone(const RunEnd& end) {
        reserve.close();
        const std::string key(meta::end), value = writeEnd(end);
        for (const char* room : {"", "PRAGMA wal_checkpoint(PASSIVE)"}) {
            static_cast<void>(database.run(room));
            if (!begin()) continue;
            const bool done = seals.put(RunTable::Meta, key) &&
                              insertMeta->bind(key).bind(value).bind(checksum(key, value)).run() == SQLITE_OK &&
                              seals.store() && database.run("COMMIT");
            if (done) return;
            static_cast<void>(undo());
        }
    }

    /// Bytes of the pages in use: free ones are taken before the file grows.
    Result<std::int64_t> used() {
        const auto pages = database.number("PRAGMA page_count");
        const auto free = database.number("PRAGMA freelist_count");
        const auto size = database.number("PRAGMA page_size");
        if (!pages || !free || !size) return fail(database.error(base::say("cannot write the run file")));
        return (*pages - *free) * *size;
    }

    /// Where little is left on the disk the file grows no more: older events make room, while there is room to work in.
    Status limitOnFullDisk() {
        struct statvfs disk {};
        const std::filesystem::path folder = place.has_parent_path() ? place.parent_path() : std::filesystem::path(".");
        if (limitedByDisk || ::statvfs(folder.c_str(), &disk) != 0) return {};
        const auto unit = static_cast<std::int64_t>(disk.f_frsize);
        const std::int64_t left = static_cast<std::int64_t>(disk.f_bavail) * unit;
        const std::int64_t whole = static_cast<std::int64_t>(disk.f_blocks) * unit;
        std::error_code none;
        const auto logBytes = std::filesystem::file_size(place.string() + "-wal", none);
        // What lies in the log has yet to find its place in the file.
        const std::int64_t needed = leastForThinning + (none ? 0 : 2 * static_cast<std::int64_t>(logBytes));
        if (left >= std::max(std::min(leastLeft, whole / 16), needed)) return {};
        const auto size = used();
        if (!size) return fail(size.error());
        if (*size < leastToThin || (thinning.sizeLimit > 0 && thinning.sizeLimit <= *size)) return {};
        limitedByDisk = true;
        const int first = thinning.first;
        RunSpec limited = asked;
        limited.sizeLimit = *size;
        if (thinning.sizeLimit > 0) thinning.sizeLimit = *size;
        else thinning = Thinning::of(limited);
        thinning.first = first;
        flushSmaller();
        say(LogLevel::Warning, "only " + formatBytes(left) +
                                   " are left on the disk: from now on the run file takes no more than " +
                                   formatBytes(*size) + ", and older events make room for newer ones");
        return keepLogSmall();
    }

    void keepThinning() { metaRows[std::string(meta::thinning)] = writeThinning(thinning); }

    void say(LogLevel level, std::string text) {
        const LogLine line{lastTime, -1, level, std::move(text)};
        logRows.push_back(line);
        notices.push_back(line);
    }

    /// Lane by lane, each for itself, so that the log beside the file stays short.
    Status thin() {
        for (std::size_t lane = 0; lane < blocks->lanes(); ++lane) {
            if (!begin()) return fail(database.error(base::say("cannot write the run file")));
            const auto gone = blocks->thin(lane, thinning);
            if (!gone) {
                static_cast<void>(undo());
                return fail(gone.error());
            }
            thinning.events += *gone;
            keepThinning();
            if (const Status done = commit(); !done) {
                thinning.events -= *gone;
                return done;
            }
        }
        return {};
    }

    Status holdLimit() {
        auto size = used();
        if (!size) return fail(size.error());
        const auto limit = static_cast<double>(thinning.sizeLimit);
        if (static_cast<double>(*size) <= thinAbove * limit ||
            (exhausted && figures.lastComplete() < thinning.before + thinning.last))
            return {};
        const bool first = thinning.steps() == 0;
        const Thinning before = thinning;
        for (;;) {
            thinning.before = std::max(thinning.before, figures.lastComplete() - thinning.last + 1);
            if (const Status done = thin(); !done) return done;
            size = used();
            if (!size) return fail(size.error());
            if (static_cast<double>(*size) <= thinTo * limit) break;
            if (thinning.keepLess()) continue;
            if (!std::exchange(exhausted, true))
                say(LogLevel::Warning,
                    "the run file cannot keep its size limit of " + formatBytes(thinning.sizeLimit) +
                        ": every step's figures and the last step's events take more. A larger /run/size_limit, "
                        "or fewer steps, would do");
            break;
        }
        if (first ? thinning.steps() > 0 : before.last != thinning.last || before.every != thinning.every)
            say(LogLevel::Info, "to keep its size limit of " + formatBytes(thinning.sizeLimit) +
                                    ", the run file now holds " + keptText(thinning));
        keepThinning();
        return {};
    }

    void take(const Event& event) {
        blocks->add(EventSource::Measured, event);
        if (event.step >= 0 && (thinning.first < 0 || event.step < thinning.first)) thinning.first = event.step;
        if (event.end < (std::int64_t{1} << 60)) lastTime = std::max(lastTime, event.end);
        if (event.kind == EventKind::Dropped && eventsLost(event) > 0) {
            dropped += eventsLost(event);
            metaRows[std::string(meta::dropped)] = std::to_string(dropped);
        }
        if (!isRestart(event)) return;
        restarts.push_back(event);
        metaRows[std::string(meta::restarts)] = writeRestarts(restarts);
        thinning.restarted(event.step);
        if (thinning.sizeLimit > 0) keepThinning();
    }

    Database database;
    std::filesystem::path place;
    std::optional<FileIdentity> identity;  ///< of the file as it was made
    base::Descriptor reserve = reserveDisk(place, roomForTheEnd);
    RunSpec asked;
    bool limitedByDisk = false;
    TableSeals seals;
    std::optional<Statement> insertMeta, insertRank, insertLog, insertName;
    std::optional<BlockStore> blocks;
    DatabaseShelf shelf;
    FigureRecording figures;
    Thinning thinning;
    std::map<std::string, std::string, std::less<>> metaRows;
    std::map<int, RankRecord> rankRows;
    std::vector<LogLine> logRows;
    std::vector<LogLine> notices;
    std::vector<std::pair<std::uint32_t, std::string>> nameRows;
    std::size_t flushAt = flushAtEvents;
    std::int64_t nextLog = 1;
    std::int64_t dropped = 0;
    std::int64_t lastTime = 0;
    std::vector<Event> restarts;
    bool exhausted = false;  ///< nothing is left that could be thinned
    bool finished = false;
};

RunWriter::RunWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

RunWriter::~RunWriter() {
    if (impl_ && !impl_->finished) static_cast<void>(impl_->flush());
}

Result<std::unique_ptr<RunWriter>> RunWriter::create(const std::filesystem::path& file, const RunHeader& header) {
    auto database = createRunFile(file, header);
    if (!database) return fail(database.error());
    auto impl = std::make_unique<Impl>(std::move(*database), file, header);
    if (const Status prepared = impl->prepare(); !prepared) return fail(prepared.error());
    return std::make_unique<RunWriter>(std::move(impl));
}

Status RunWriter::appendPredicted(std::span<const Event> events) {
    for (const Event& event : events) impl_->blocks->add(EventSource::Predicted, event);
    return impl_->blocks->unflushed() < impl_->flushAt ? Status{} : flush();
}

Status RunWriter::append(std::span<const Event> events) {
    Status status;
    while (!events.empty()) {
        // After a failure the rest is taken in at once: the next flush stores it.
        const std::size_t room = impl_->flushAt - std::min(impl_->flushAt - 1, impl_->blocks->unflushed());
        const auto part = events.first(status ? std::min(room, events.size()) : events.size());
        events = events.subspan(part.size());
        for (const Event& event : part) impl_->take(event);
        if (const Status made = impl_->figures.add(part); !made && status) status = made;
        if (!status || impl_->blocks->unflushed() < impl_->flushAt) continue;
        status = flush();
    }
    return status;
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

Status RunWriter::setClocks(std::span<const HostClock> clocks) {
    impl_->metaRows[std::string(meta::clocks)] = writeClocks(clocks);
    return {};
}

Status RunWriter::flush() { return impl_->flush(); }

std::vector<LogLine> RunWriter::takeNotices() { return std::exchange(impl_->notices, {}); }

const Thinning& RunWriter::thinning() const { return impl_->thinning; }

Status RunWriter::finish(const RunEnd& end) {
    impl_->metaRows[std::string(meta::end)] = writeEnd(end);
    if (const Status flushed = impl_->flush(); !flushed) {
        impl_->commitAlone(end);
        return flushed;
    }
    // What the first flush had to thin and say.
    if (!impl_->logRows.empty() || !impl_->metaRows.empty())
        if (const Status flushed = impl_->flush(); !flushed) return flushed;
    impl_->finished = true;
    Database& database = impl_->database;
    if (database.inTransaction()) static_cast<void>(database.run("ROLLBACK"));  // empty: it only held the lock
    // One file is left. A reader that has it open just now keeps the second, empty one alive: no fault.
    const Status settled = database.run("PRAGMA wal_checkpoint(TRUNCATE)");
    if (settled) static_cast<void>(database.run("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE"));
    impl_.reset();
    return settled;
}

}  // namespace shardlab::trace
