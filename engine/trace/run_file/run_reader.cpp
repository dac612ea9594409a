// SPDX-License-Identifier: Apache-2.0
#include "engine/base/scratch_folder.h"
#include "engine/trace/event/event_codec.h"
#include "engine/trace/event/legal_time.h"
#include "engine/trace/metrics/figure_reading.h"
#include "engine/trace/metrics/figure_recording.h"
#include "engine/layout/layout_file.h"
#include "engine/trace/run_file/countable_layout.h"
#include "engine/trace/run_file/database_shelf.h"
#include "engine/trace/run_file/run_blocks.h"
#include "engine/trace/run_file/run_schema.h"
#include "engine/trace/run_file/table_seals.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sqlite3.h>
#include <unistd.h>
#include <utility>

namespace shardlab::trace {
namespace {

tl::unexpected<Error> refuse(const std::filesystem::path& file, Sentence why, Sentence legal = {}) {
    return fail({say("cannot open the run"), file.string(), std::move(why), std::move(legal)});
}

std::uint32_t bigEndian(std::span<const char> page, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, page.data() + at, sizeof value);
    return __builtin_bswap32(value);
}

/// The run file's format version, read from the first page. Never migrates or opens anything.
Result<std::int64_t> identify(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return refuse(file, say("there is no such file"));
    if (std::filesystem::is_directory(file, ignored)) return refuse(file, say("it is a folder"));
    if (!std::filesystem::is_regular_file(file, ignored))
        return refuse(file, say("something that is no file has that name"));
    std::ifstream in(file, std::ios::binary);
    if (!in) return refuse(file, say("it may not be read"));
    std::array<char, 100> page{};
    in.read(page.data(), page.size());
    const auto size = static_cast<std::size_t>(in.gcount());
    const Sentence legal = say("A run is a file that Shardlab has recorded (*.shardlab)");
    if (size == 0) return refuse(file, say("the file is empty"), legal);
    const std::string_view start(page.data(), std::min(size, databaseMagic.size()));
    if (start != databaseMagic.substr(0, start.size())) return refuse(file, say("it is no SQLite database"), legal);
    if (size < page.size()) return refuse(file, say("it is truncated: only {} bytes are left", size));
    if (bigEndian(page, databaseApplicationAt) != runApplicationId)
        return refuse(file, say("it is an SQLite database, but no run"), legal);
    const std::int64_t version = bigEndian(page, databaseVersionAt);
    if (version > runFormatVersion)
        return refuse(file, say("it was recorded by a newer Shardlab, in format {}", version),
                      say("This one reads formats up to {}", runFormatVersion));
    return version;
}

/// The database and its log copied to a folder of our own, where SQLite may write; gone with this object.
class Copy {
public:
    static Result<Copy> make(const std::filesystem::path& file) {
        auto folder = ScratchFolder::make("run");
        if (!folder) return refuse(file, say("no temporary folder can be made for a copy: {}", folder.error().why));
        Copy copy(std::move(*folder));
        std::error_code failed;
        std::filesystem::copy_file(file, copy.file(), failed);
        if (failed)
            return refuse(file, say("it cannot be copied to a temporary folder: {}", systemReason(failed.value())));
        std::filesystem::path log = file;
        log += "-wal";
        std::error_code none;
        std::filesystem::copy_file(log, copy.folder_.path() / "run-wal", none);
        return copy;
    }
    std::filesystem::path file() const { return folder_.path() / "run"; }

private:
    explicit Copy(ScratchFolder folder) : folder_(std::move(folder)) {}
    ScratchFolder folder_;
};

}  // namespace

struct RunReader::Impl {
    Impl(std::filesystem::path path, std::optional<Copy> copied, Database opened)
        : file(std::move(path)), copy(std::move(copied)), database(std::move(opened)) {}

    Error damage(const Sentence& what) const { return damageIn(file, what); }
    void note(const Sentence& what) {
        if (!firstDamage) firstDamage = damage(what);
    }
    Error failure(const Sentence& what) const { return readFailure(database, file, what); }

    Status readMeta() {
        auto rows = database.prepare("SELECT key, value, crc FROM meta ORDER BY key");
        // The application id was there, so this was a run; a table that is not says that pages are gone.
        if (!rows) return fail(damage(say("its header is missing: the file is truncated or damaged")));
        bool headerFound = false;
        bool layoutFound = false;
        int code = 0;
        while ((code = rows->next()) == SQLITE_ROW) {
            const std::string key = rows->text(0);
            const std::string value = rows->text(1);
            if (rows->number(2) != checksum(key, value)) return fail(damage(say("its header fails its checksum")));
            Status read;
            if (key == meta::header) {
                headerFound = true;
                read = readHeader(value, header);
            } else if (key == meta::layout) {
                layoutFound = true;
                header.layoutJson = value;
                const auto layout = parseLayout(value);
                if (!layout) return fail(layout.error());
                header.layout = layout->layout;
                if (!isCountable(header.layout))
                    return fail(damage(say("its layout has more ranks, stages or layers than a run can have")));
            } else if (key == meta::end) {
                read = readEnd(value, end);
            } else if (key == meta::dropped) {
                dropped = std::strtoll(value.c_str(), nullptr, 10);
            } else if (key == meta::restarts) {
                read = readRestarts(value, restarts);
            } else if (key == meta::clocks) {
                read = readClocks(value, clocks);
            } else if (key == meta::thinning) {
                read = readThinning(value, thinning);
            }
            if (!read) return read;
        }
        if (code != SQLITE_DONE) return fail(failure(say("its header")));
        if (!headerFound || !layoutFound) return fail(damage(say("its header is missing")));
        return {};
    }

    void readRanks() {
        auto rows = database.prepare("SELECT rank, host, pid, label, end, crc FROM rank ORDER BY rank");
        if (!rows) return note(say("its list of ranks cannot be read"));
        int code = 0;
        while ((code = rows->next()) == SQLITE_ROW) {
            auto record = readRankRow(*rows);
            if (record) ranks.push_back(std::move(*record));
            else note(record.error());
        }
        if (code != SQLITE_DONE) note(say("its list of ranks cannot be read"));
    }

    void readNames() {
        auto rows = database.prepare("SELECT id, text, crc FROM name ORDER BY id");
        if (!rows) return note(say("its table of names cannot be read"));
        int code = 0;
        while ((code = rows->next()) == SQLITE_ROW) {
            const std::int64_t number = rows->number(0);
            std::string name = rows->text(1);
            if (rows->number(2) != checksum(number, name)) note(say("name {} fails its checksum", number));
            else if (number > 0 && number <= std::numeric_limits<std::uint32_t>::max())
                names.add(static_cast<std::uint32_t>(number), std::move(name));
        }
        if (code != SQLITE_DONE) note(say("its table of names cannot be read"));
    }

    void countEvents() {
        auto rows = database.prepare("SELECT count FROM block WHERE source = 0");
        if (!rows) return note(say("its blocks cannot be read"));
        int code = 0;
        while ((code = rows->next()) == SQLITE_ROW) {
            const std::int64_t count = rows->number(0);
            if (count < 1 || count > static_cast<std::int64_t>(largestBlock))
                note(say("a block holds other events than it says"));
            else eventCount += count;
        }
        if (code != SQLITE_DONE) note(say("a block cannot be read"));
    }

    /// Rows that damage hides are no rows that fail their checksum.
    void checkSeals() {
        for (const RunTable table :
             {RunTable::Meta, RunTable::Rank, RunTable::Log, RunTable::Block, RunTable::Note, RunTable::Name})
            if (const auto broken = brokenSeal(database, table)) note(say("its table {} {}", name(table), *broken));
        for (const RunTable table : {RunTable::Step, RunTable::RankStep}) {
            const auto broken = brokenSeal(database, table);
            if (!broken) continue;
            if (thinning.steps() > 0) note(say("its table {} {}", name(table), *broken));
            else storesFigures = false;  // they are made of the events
        }
    }

    /// A file of an older format has no such table, or, with a note written into it since, an empty one.
    void lookForFigures() {
        const auto any = database.number("SELECT EXISTS(SELECT 1 FROM rank_step)");
        storesFigures = any && (*any != 0 || eventCount == 0);
    }

    Status makeFigures() {
        if (made) return {};
        auto shelf = std::make_unique<MemoryShelf>();
        FigureRecording figures(rankCount(header.layout), flushes(header.layout), sentBytesOf(header), *shelf);
        const auto keep = [&](const Status& status) {
            if (!status) return status;
            const Status stored = figures.store();
            if (stored) figures.settle();
            return stored;
        };
        if (const Status told = keep(figures.add(restarts)); !told) return told;
        auto cursor = selectBlocks(database, file, {}, firstDamage);
        if (!cursor) return fail(cursor.error());
        const Status read = cursor->each([&](std::span<const Event> block) -> Result<bool> {
            if (const Status added = keep(figures.add(block)); !added) return fail(added.error());
            return true;
        });
        if (!read) return read;
        made = std::move(shelf);
        return {};
    }

    /// What was stored; where that fails and every event is there, what they give. `read` is given a shelf.
    template <class Read>
    auto fromFigures(const Read& read) -> decltype(read(std::declval<MetricStore&>())) {
        if (storesFigures && !made) {
            DatabaseShelf shelf(database, file);
            auto result = read(shelf);
            if (result || thinning.steps() > 0) return result;
        }
        if (const Status whole = makeFigures(); !whole) return fail(whole.error());
        return read(*made);
    }

    std::filesystem::path file;
    std::optional<Copy> copy;
    Database database;
    RunHeader header;
    RunEnd end;
    std::vector<RankRecord> ranks;
    EventNames names;
    std::int64_t eventCount = 0;
    std::int64_t dropped = 0;
    std::vector<Event> restarts;
    std::vector<HostClock> clocks;
    Thinning thinning;
    std::optional<Error> firstDamage;
    bool storesFigures = false;
    std::unique_ptr<MemoryShelf> made;  ///< from the events, where they are not stored, or damaged
};

RunReader::RunReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunReader::~RunReader() = default;

Result<std::unique_ptr<RunReader>> RunReader::open(const std::filesystem::path& file) {
    const Result<std::int64_t> version = identify(file);
    if (!version) return fail(version.error());
    if (const Status files = onlyFilesBeside(file); !files) return fail(files.error());
    std::optional<Copy> copy;
    auto database = Database::open(file, DatabaseMode::Read);
    const auto readable = [&] {
        return database && database->number("SELECT count(*) FROM sqlite_schema").has_value();
    };
    // A log without its index in a folder that cannot be written; or an older format, which only a copy may leave.
    if (*version < oldestReadInPlace || (!readable() && !(database && damaged(*database)))) {
        auto made = Copy::make(file);
        if (!made) return fail(made.error());
        copy = std::move(*made);
        database = Database::open(copy->file(), DatabaseMode::Write, file);
        if (!database) return refuse(file, database.error().why);
        if (*version < oldestReadInPlace) {
            const Status migrated = migrate(*database, *version, runMigrations());
            if (!migrated) return refuse(file, say("its format {} cannot be read: {}", *version, migrated.error().why));
        }
    }
    if (!database) return refuse(file, database.error().why);
    auto impl = std::make_unique<Impl>(file, std::move(copy), std::move(*database));
    if (const Status known = checkSchema(impl->database, file); !known) return fail(known.error());
    // One state of a file that may be growing.
    static_cast<void>(impl->database.run("BEGIN"));
    const Status read = impl->readMeta();
    if (!read) return fail(read.error());
    impl->readRanks();
    impl->readNames();
    impl->countEvents();
    impl->lookForFigures();
    if (*version >= oldestSealed) impl->checkSeals();
    static_cast<void>(impl->database.run("END"));
    return std::make_unique<RunReader>(std::move(impl));
}

const RunHeader& RunReader::header() const { return impl_->header; }
const RunEnd& RunReader::end() const { return impl_->end; }
const std::vector<RankRecord>& RunReader::ranks() const { return impl_->ranks; }
const EventNames& RunReader::names() const { return impl_->names; }
std::int64_t RunReader::eventCount() const { return impl_->eventCount; }
std::int64_t RunReader::droppedEvents() const { return impl_->dropped; }
const std::vector<HostClock>& RunReader::clocks() const { return impl_->clocks; }
const std::vector<Event>& RunReader::restarts() const { return impl_->restarts; }
const Thinning& RunReader::thinning() const { return impl_->thinning; }
bool RunReader::storesFigures() const { return impl_->storesFigures; }

Status RunReader::readFigures(const std::function<bool(const StepFigures&)>& sink, int first) const {
    const Layout& layout = impl_->header.layout;
    const Restarts restarts(impl_->restarts);
    bool all = false;  // nothing comes behind the largest number
    return impl_->fromFigures([&](MetricStore& shelf) -> Status {
        if (all) return {};
        // Where a damaged block ended the reading, it goes on behind what was given.
        return eachStep(shelf, rankCount(layout), flushes(layout), restarts, first, [&](const StepFigures& step) {
            all = step.times.step == std::numeric_limits<int>::max();
            if (!all) first = step.times.step + 1;
            return sink(step);
        });
    });
}

Result<std::vector<StepOverview>> RunReader::overview() const {
    return impl_->fromFigures([](MetricStore& shelf) { return allOverviews(shelf); });
}

Result<std::vector<LogLine>> RunReader::log() const {
    auto rows = impl_->database.prepare("SELECT id, time, rank, level, text, crc FROM log ORDER BY id");
    if (!rows) return fail(impl_->failure(say("its log")));
    std::vector<LogLine> lines;
    int code = 0;
    while ((code = rows->next()) == SQLITE_ROW) {
        auto line = readLogRow(*rows);
        if (!line) return fail(impl_->damage(line.error()));
        lines.push_back(std::move(*line));
    }
    if (code != SQLITE_DONE) return fail(impl_->failure(say("its log")));
    return lines;
}

Result<std::vector<Note>> RunReader::notes() const {
    auto rows = impl_->database.prepare("SELECT id, time, rank, text, created, crc FROM note ORDER BY time, id");
    if (!rows) return fail(impl_->failure(say("its notes")));
    std::vector<Note> notes;
    int code = 0;
    while ((code = rows->next()) == SQLITE_ROW) {
        Note note{rows->number(0), rows->number(1), static_cast<int>(rows->number(2)), rows->text(3), rows->text(4)};
        if (rows->number(5) != checksum(note)) return fail(impl_->damage(say("note {} fails its checksum", note.id)));
        if (!isLegalTime(note.time))
            return fail(impl_->damage(say("note {} is of {} ns, beyond all times", note.id, note.time)));
        notes.push_back(std::move(note));
    }
    if (code != SQLITE_DONE) return fail(impl_->failure(say("its notes")));
    return notes;
}

Result<BlockCursor> RunReader::blocks(const BlockFilter& filter) const {
    return selectBlocks(impl_->database, impl_->file, filter, impl_->firstDamage);
}

Result<std::vector<BlockPlace>> RunReader::places() const {
    return selectPlaces(impl_->database, impl_->file, impl_->firstDamage);
}

Result<Bytes> RunReader::packedBlock(const BlockPlace& place) const {
    return selectPacked(impl_->database, impl_->file, place);
}

Status RunReader::unpackBlock(const BlockPlace& place, std::span<const std::byte> packed, BlockUnpacker& unpacker,
                              std::vector<Event>& events) {
    const auto read = unpackedAs(place, packed, unpacker, events);
    if (!read) return fail({say("the run is damaged"), "", read.error(), ""});
    return {};
}

const std::optional<Error>& RunReader::damage() const { return impl_->firstDamage; }

Result<std::vector<Event>> RunReader::predicted() const {
    auto cursor = blocks({.source = EventSource::Predicted});
    if (!cursor) return fail(cursor.error());
    std::vector<Event> events;
    const Status read = cursor->each([&](std::span<const Event> block) {
        events.insert(events.end(), block.begin(), block.end());
        return true;
    });
    if (!read) return fail(read.error());
    return events;
}

Status RunReader::readEvents(const std::function<bool(std::span<const Event>)>& sink) const {
    auto cursor = blocks({});
    if (!cursor) return fail(cursor.error());
    return cursor->each(sink);
}

}  // namespace shardlab::trace
