// SPDX-License-Identifier: Apache-2.0
// The small tables: computed whole when a question names them.
#include "engine/trace/query/query_table.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace shardlab::trace {
namespace {

constexpr std::array rankColumns = std::to_array<QueryColumn>({
    {"rank", "INTEGER", "world rank"},
    {"host", "TEXT", "its machine"},
    {"pid", "INTEGER", "its process"},
    {"label", "TEXT", "its place in the mesh, dp0 pp1"},
    {"end", "TEXT", "why it ended; empty while it runs"},
});

constexpr std::array logColumns = std::to_array<QueryColumn>({
    {"time_ns", "INTEGER", "nanoseconds of the run's clock"},
    {"rank", "INTEGER", "world rank; NULL: the launcher"},
    {"level", "TEXT", "information, warning or error"},
    {"text", "TEXT", "the line"},
});

constexpr std::array noteColumns = std::to_array<QueryColumn>({
    {"time_ns", "INTEGER", "nanoseconds of the run's clock"},
    {"rank", "INTEGER", "world rank; NULL: of the run as a whole"},
    {"text", "TEXT", "what somebody wrote"},
    {"created", "TEXT", "when, ISO 8601 in UTC"},
});

constexpr std::array clockColumns = std::to_array<QueryColumn>({
    {"host", "TEXT", "a host other than the launcher's"},
    {"time_ns", "INTEGER", "of the measurement; nanoseconds of the run's clock"},
    {"offset_ns", "INTEGER", "nanoseconds that the host's monotonic clock is ahead of the launcher's"},
    {"uncertainty_ns", "INTEGER", "nanoseconds, either way"},
    {"drift", "REAL", "seconds that it gains in a second"},
});

constexpr std::array runColumns = std::to_array<QueryColumn>({
    {"key", "TEXT",
     "name, created, version, outcome, reason, paced, stretch (of a paced run: its clock's times are so many times "
     "those of the devices that it models), predicted_step_seconds (on its clock) …"},
    {"value", "TEXT", "of the key"},
});

template <class... Values>
void add(MadeRows& rows, Values&&... values) {
    std::vector<Cell>& row = rows.emplace_back();
    row.reserve(sizeof...(values));
    (row.emplace_back(std::forward<Values>(values)), ...);
}

Result<std::unique_ptr<RowSource>> openRanks(const RunReader& run, std::span<const Condition>) {
    MadeRows rows;
    for (const RankRecord& rank : run.ranks())
        add(rows, std::int64_t{rank.rank}, rank.host, std::int64_t{rank.pid}, rank.label, rank.end);
    return rowsOf(std::move(rows));
}

Result<std::unique_ptr<RowSource>> openClocks(const RunReader& run, std::span<const Condition>) {
    MadeRows rows;
    for (const HostClock& clock : run.clocks())
        add(rows, clock.host, clock.time, clock.offset, clock.uncertainty, clock.drift);
    return rowsOf(std::move(rows));
}

Result<std::unique_ptr<RowSource>> openLog(const RunReader& run, std::span<const Condition>) {
    const auto lines = run.log();
    if (!lines) return fail(lines.error());
    const std::array<std::string, 3> levels{"information", "warning", "error"};
    MadeRows rows;
    for (const LogLine& line : *lines)
        add(rows, line.time, line.rank >= 0 ? Cell(std::int64_t{line.rank}) : Cell(),
            levels[static_cast<std::size_t>(line.level)], line.text);
    return rowsOf(std::move(rows));
}

Result<std::unique_ptr<RowSource>> openNotes(const RunReader& run, std::span<const Condition>) {
    const auto notes = run.notes();
    if (!notes) return fail(notes.error());
    MadeRows rows;
    for (const Note& note : *notes)
        add(rows, note.time, note.rank >= 0 ? Cell(std::int64_t{note.rank}) : Cell(), note.text, note.created);
    return rowsOf(std::move(rows));
}

Result<std::unique_ptr<RowSource>> openRun(const RunReader& run, std::span<const Condition>) {
    const RunHeader& header = run.header();
    MadeRows rows;
    add(rows, std::string("name"), header.layout.name);
    add(rows, std::string("created"), header.created);
    add(rows, std::string("version"), header.version);
    add(rows, std::string("origin"), header.origin);
    add(rows, std::string("outcome"), run.end().outcome);
    add(rows, std::string("reason"), run.end().reason);
    add(rows, std::string("paced"), header.paced ? std::string("1") : std::string("0"));
    add(rows, std::string("stretch"), fmt::format("{}", header.stretch));
    add(rows, std::string("predicted_step_seconds"), fmt::format("{}", header.predictedStepSeconds));
    add(rows, std::string("predicted_bubble"), fmt::format("{}", header.predictedBubble));
    add(rows, std::string("theoretical_bubble"), fmt::format("{}", header.theoreticalBubble));
    add(rows, std::string("capacity_bytes"), std::to_string(header.capacityBytes));
    add(rows, std::string("events"), std::to_string(run.eventCount()));
    add(rows, std::string("dropped_events"), std::to_string(run.droppedEvents()));
    if (const Thinning& thinning = run.thinning(); thinning.sizeLimit > 0) {
        add(rows, std::string("size_limit"), std::to_string(thinning.sizeLimit));
        add(rows, std::string("size_policy"), std::string(thinning.policy()));
        add(rows, std::string("thinned_steps"), std::to_string(thinning.steps()));
        add(rows, std::string("thinned_events"), std::to_string(thinning.events));
    }
    add(rows, std::string("layout"), header.layoutJson);
    return rowsOf(std::move(rows));
}

class MadeSource : public RowSource {
public:
    explicit MadeSource(MadeRows rows) : rows_(std::move(rows)) {}
    Result<bool> next() override { return ++at_ <= rows_.size(); }
    Cell cell(int column) const override { return rows_[at_ - 1][static_cast<std::size_t>(column)]; }

private:
    MadeRows rows_;
    std::size_t at_ = 0;  ///< rows reached so far
};

}  // namespace

std::unique_ptr<RowSource> rowsOf(MadeRows rows) { return std::make_unique<MadeSource>(std::move(rows)); }

QueryTable ranksTable() { return {{"ranks", "one row per rank", rankColumns}, {}, openRanks}; }
QueryTable clocksTable() {
    return {{"clocks", "the clocks of several hosts, as they were compared", clockColumns}, {}, openClocks};
}
QueryTable logTable() { return {{"log", "lines of ranks and launcher, as they arrived", logColumns}, {}, openLog}; }
QueryTable notesTable() { return {{"notes", "what people wrote beside the run", noteColumns}, {}, openNotes}; }
QueryTable runTable() { return {{"run", "what is said of the run as a whole", runColumns}, {}, openRun}; }

}  // namespace shardlab::trace
