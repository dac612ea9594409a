// SPDX-License-Identifier: Apache-2.0
// Run files: any bytes as a database; and databases of our tables whose rows hold what the input says under checksums
// that are right, so that everything behind the checksums is met too. What opens is read whole and handed on.
#include "engine/trace/analysis/run_comparison.h"
#include "engine/trace/metrics/summary.h"
#include "engine/trace/interchange/export.h"
#include "engine/trace/query/query.h"
#include "engine/trace/run_file/run_block.h"
#include "engine/trace/run_file/run_file.h"
#include "engine/trace/run_file/run_schema.h"
#include "engine/trace/run_file/table_seals.h"
#include "tests/fuzz/any_events.h"
#include "tests/fuzz/memory_files.h"
#include "tests/support/wings.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

void requireSummary(const RunReader& run, const std::vector<Event>& events) {
    Summarizer summary(rankCount(run.header().layout));
    summary.add(run.restarts());
    summary.add(events);
    for (const StepSummary& step : summary.steps()) {
        require(step.bubble >= 0 && step.bubble <= 1, "the bubble is a share");
        require(std::isfinite(step.seconds) && step.seconds >= 0, "a step takes some time");
    }
    require(std::isfinite(summary.medianStepSeconds()), "so does the median one");
}

/// Whatever is made of a run in one pass over it.
void handOn(const RunReader& run) {
    MemoryFiles disk;
    for (const ExportFormat& format : exportFormats())
        if (format.name != "sqlite")  // it wants a disk of its own
            if (const Status done = exportRun(disk, run, format, "out"); !done) requireClear(done.error());
    static_cast<void>(compareWithPrediction(run));
    const auto query = RunQuery::open(run);
    require(query.has_value(), "a run can be asked");
    for (const TableHelp& table : queryTables()) {
        RunQuery::Answer answer{[](const auto&) {}, [](std::span<const Cell> row) { return !row.empty(); }, {}};
        if (const Status done = (*query)->ask("SELECT * FROM " + std::string(table.name), answer); !done)
            requireClear(done.error());
    }
}

void readAll(const std::filesystem::path& file, bool thorough) {
    const auto opened = RunReader::open(file);
    if (!opened) return requireClear(opened.error());
    const RunReader& run = **opened;
    std::vector<Event> events;
    const Status read = run.readEvents([&](std::span<const Event> some) {
        require(!some.empty(), "a block has events");
        events.insert(events.end(), some.begin(), some.end());
        return events.size() < 100'000;
    });
    if (!read) requireClear(read.error());
    if (read && events.size() < 100'000)
        require(static_cast<std::int64_t>(events.size()) == run.eventCount(), "a whole run has the events it counts");
    if (const auto log = run.log(); !log) requireClear(log.error());
    if (const auto notes = run.notes(); !notes) requireClear(notes.error());
    if (const auto predicted = run.predicted(); !predicted) requireClear(predicted.error());
    for (const Event& event : events) static_cast<void>(run.names().text(event.action));
    requireSummary(run, events);
    if (thorough) handOn(run);
}

class Builder {
public:
    explicit Builder(const std::filesystem::path& file) {
        std::filesystem::remove(file);
        auto database = Database::open(file, DatabaseMode::Create);
        require(database.has_value(), "a database can be made");
        database_.emplace(std::move(*database));
        const std::string tables =
            fmt::format("PRAGMA page_size = 512; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
                        "PRAGMA application_id = {}; PRAGMA user_version = {};{}",
                        runApplicationId, runFormatVersion, runTables);
        require(database_->run(tables.c_str()).has_value(), "the tables can be made");
    }

    void finish() { require(sealAll(*database_) && database_->run("COMMIT"), "the rows can be kept"); }

    void fact(std::string_view key, std::string_view value) {
        insert("INSERT OR REPLACE INTO meta VALUES(?, ?, ?)", key, value, checksum(key, value));
    }
    void rank(const RankRecord& record) {
        insert("INSERT OR REPLACE INTO rank VALUES(?, ?, ?, ?, ?, ?)", std::int64_t{record.rank}, record.host,
               std::int64_t{record.pid}, record.label, record.end, checksum(record));
    }
    void log(const LogLine& line) {
        ++lines_;
        insert("INSERT INTO log VALUES(?, ?, ?, ?, ?, ?)", lines_, line.time, std::int64_t{line.rank},
               static_cast<std::int64_t>(line.level), line.text, checksum(lines_, line));
    }
    void note(const Note& note) {
        insert("INSERT OR REPLACE INTO note VALUES(?, ?, ?, ?, ?, ?)", note.id, note.time, std::int64_t{note.rank},
               note.text, note.created, checksum(note));
    }
    void name(std::int64_t number, std::string_view text) {
        insert("INSERT OR REPLACE INTO name VALUES(?, ?, ?)", number, text, checksum(number, text));
    }
    /// `columns`: source, rank, lane, count, begin, end.
    void block(const std::array<std::int64_t, 6>& columns, std::span<const std::byte> data) {
        RowChecksum sum;
        sum.add(++blocks_);
        for (const std::int64_t column : columns) sum.add(column);
        auto row = database_->prepare("INSERT INTO block VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
        row->bind(blocks_);
        for (const std::int64_t column : columns) row->bind(column);
        row->bind(data).bind(sum.add(data).value()).run();
    }

private:
    template <class... Values>
    void insert(const char* sql, const Values&... values) {
        auto row = database_->prepare(sql);
        require(row.has_value(), "a row can be prepared");
        (row->bind(values), ...);
        row->run();
    }

    std::optional<Database> database_;
    std::int64_t lines_ = 0;
    std::int64_t blocks_ = 0;
};

/// The events of one rank and lane, as a block must have them.
void addBlock(Builder& builder, Input& input) {
    const auto source = static_cast<std::int64_t>(input.number<std::uint8_t>() % 3);
    const auto rank = static_cast<std::int64_t>(input.number<std::int16_t>());
    const auto bytes = input.text(input.below(2000));
    Input events(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    const auto lane = static_cast<std::int64_t>(events.number<std::uint8_t>());
    std::vector<Event> made = anyEvents(events, 200);
    if (made.empty()) return;
    for (Event& event : made) {
        event.rank = static_cast<std::int16_t>(rank);
        event.lane = static_cast<Lane>(lane % laneCount);
    }
    static BlockPacker packer;
    const bool honest = input.below(8) != 0;
    const auto count = honest ? static_cast<std::int64_t>(made.size()) : input.number<std::int64_t>();
    builder.block({source, rank, honest ? lane % laneCount : lane, count, made.front().begin, made.back().end},
                  packer.pack(made));
}

void rows(Input& input) {
    const std::filesystem::path file = scratch() / "rows.shardlab";
    Builder builder(file);
    const bool thorough = input.below(4) == 0;
    builder.fact(meta::header, "{}");
    builder.fact(meta::layout, "{}");
    while (!input.empty()) {
        const std::size_t what = input.below(12);
        switch (what) {
        case 0: builder.fact(meta::header, input.word()); break;
        case 1: builder.fact(meta::layout, input.word()); break;
        case 2: builder.fact(meta::end, input.word()); break;
        case 3: builder.fact(meta::dropped, input.word()); break;
        case 4: builder.fact(meta::restarts, input.word()); break;
        case 5: {
            const auto rank = input.number<std::int32_t>();
            builder.rank({rank, std::string(input.word()), input.number<std::int32_t>(), std::string(input.word()),
                          std::string(input.word())});
            break;
        }
        case 6: {
            const auto time = input.number<std::int64_t>();
            const auto rank = input.number<std::int32_t>();
            builder.log(
                {time, rank, static_cast<LogLevel>(input.number<std::uint8_t>() % 4), std::string(input.word())});
            break;
        }
        case 7: {
            const auto id = static_cast<std::int64_t>(input.number<std::uint16_t>());
            const auto time = input.number<std::int64_t>();
            builder.note(
                {id, time, input.number<std::int32_t>(), std::string(input.word()), std::string(input.word())});
            break;
        }
        case 8: {
            const std::int64_t number =
                input.below(8) == 0 ? input.number<std::int64_t>() : input.number<std::uint8_t>();
            builder.name(number, input.word());
            break;
        }
        default: addBlock(builder, input);
        }
    }
    builder.finish();
    readAll(file, thorough);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    if (input.number<std::uint8_t>() % 2 != 0) {
        rows(input);
        return 0;
    }
    const std::filesystem::path file = scratchFile("raw.shardlab", input.rest());
    std::filesystem::remove(file.string() + "-wal");
    readAll(file, false);
    return 0;
}
