// SPDX-License-Identifier: Apache-2.0
// Nsight Systems' SQLite export (nsys export --type sqlite). A process is a rank; kernels, copies and fills are its
// device's, NVTX ranges annotations and, where they name one, actions; calls of CUDA, MPI and the system operations.
// NVTX ranges called "step 5" or "iteration 5" are steps. README of tests/trace/traces says which tables and columns
// are read; rows of any other are counted.
#include "engine/base/most_ranks.h"
#include "engine/base/parse_text.h"
#include "engine/base/visible_text.h"
#include "engine/trace/interchange/import_formats.h"
#include "engine/trace/interchange/nsight_actions.h"
#include "engine/trace/interchange/nsight_payloads.h"
#include "engine/trace/run_file/sqlite.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <sqlite3.h>

namespace shardlab::trace {
namespace {

constexpr std::int64_t rowsBetweenQuestions = 1 << 14;
constexpr int pushPopRange = 59, startEndRange = 60, nvtxMark = 34;  // of NVTX_EVENTS.eventType

/// Tables whose rows are events that are read, each by a function.
constexpr std::array eventTables{"CUPTI_ACTIVITY_KIND_KERNEL",
                                 "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                 "CUPTI_ACTIVITY_KIND_MEMCPY",
                                 "CUPTI_ACTIVITY_KIND_MEMSET",
                                 "CUPTI_ACTIVITY_KIND_RUNTIME",
                                 "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                 "NVTX_EVENTS",
                                 "CUDA_GPU_MEMORY_USAGE_EVENTS",
                                 "GPU_METRICS",
                                 "MPI_P2P_EVENTS",
                                 "MPI_COLLECTIVES_EVENTS",
                                 "MPI_START_WAIT_EVENTS",
                                 "MPI_OTHER_EVENTS",
                                 "OSRT_API"};
/// Tables that describe what the others hold.
constexpr std::array describingTables{"StringIds",
                                      "ENUM_CUDA_MEMCPY_OPER",
                                      "TARGET_INFO_SESSION_START_TIME",
                                      "TARGET_INFO_SYSTEM_ENV",
                                      "TARGET_INFO_GPU_METRICS",
                                      "NVTX_PAYLOAD_SCHEMA_ENTRIES",
                                      "MPI_RANKS"};
/// How the names of further tables begin that describe: they hold no events.
constexpr std::array describingBegins{
    "ENUM_",           "TARGET_INFO_",       "META_DATA_",    "EXPORT_META_DATA",  "sqlite_",
    "ThreadNames",     "ProcessStreams",     "NVTX_PAYLOAD_", "MPI_COMMUNICATORS", "CUDA_CALLCHAINS",
    "OSRT_CALLCHAINS", "SAMPLING_CALLCHAINS"};

/// A global id holds, from the lowest bit, 24 bits of the thread, 24 of the process, and the machine.
std::int64_t processPart(std::int64_t global) { return global >> 24; }
int pidOf(std::int64_t process) { return static_cast<int>(process & 0xFFFFFF); }
std::uint32_t threadOf(std::int64_t global) { return static_cast<std::uint32_t>(global & 0xFFFFFF); }

std::optional<std::int32_t> stepNamed(std::string_view text) {
    for (const std::string_view word : {"step ", "Step ", "iteration ", "Iteration ", "ProfilerStep#"}) {
        if (!text.starts_with(word)) continue;
        if (const auto step = parseNumber<std::int32_t>(text.substr(word.size())); step && *step >= 0) return step;
    }
    return std::nullopt;
}

class NsightReader {
public:
    NsightReader(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher)
        : file_(file), trace_(trace), watcher_(watcher) {}

    Status read() {
        auto opened = Database::open(file_, DatabaseMode::Foreign);
        if (!opened) return fail(opened.error());
        database_.emplace(std::move(*opened));
        if (const Status plain = checkTables(); !plain) return plain;
        static constexpr std::array parts{&NsightReader::ranges, &NsightReader::calls,   &NsightReader::kernels,
                                          &NsightReader::graphs, &NsightReader::copies,  &NsightReader::fills,
                                          &NsightReader::memory, &NsightReader::waits,   &NsightReader::mpi,
                                          &NsightReader::system, &NsightReader::metrics, &NsightReader::mpiRanks,
                                          &NsightReader::others};
        for (const char* table : eventTables)
            if (has(table))
                rows_ += rowsOf_[table] =
                    database_->number((std::string("SELECT count(*) FROM ") + table).c_str()).value_or(0);
        if (rows_ == 0)
            return fail({say("cannot import the trace"), file_.string(),
                         say("it is an SQLite database without the tables of Nsight Systems, or they are empty"),
                         say("What nsys export --type sqlite writes")});
        // Times count from the session's begin: that of several reports must be known to lay them side by side.
        if (has("TARGET_INFO_SESSION_START_TIME"))
            base_ = database_->number("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").value_or(0);
        if (has("TARGET_INFO_SYSTEM_ENV")) {
            auto row = database_->prepare("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'");
            if (row && row->next() == SQLITE_ROW) host_ = row->text(0);
        }
        for (const auto part : parts)
            if (const Status done = (this->*part)(); !done) return done;
        return actions_.addTo();
    }

private:
    /// Whatever is read is stored as rows: no view, no table that a module makes, no column that is computed.
    Status checkTables() {
        std::vector<const char*> read(eventTables.begin(), eventTables.end());
        read.insert(read.end(), describingTables.begin(), describingTables.end());
        for (const char* table : read) {
            auto odd =
                database_->prepare("SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type <> 'index' AND "
                                   "(type <> 'table' OR "
                                   "rootpage = 0 OR EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden <> 0))");
            if (!odd) return fail({say("cannot import the trace"), file_.string(), database_->error("").why, ""});
            if (odd->bind(std::string_view(table)).next() == SQLITE_ROW)
                return fail({say("cannot import the trace"), file_.string() + ", table " + table,
                             say("it is a view, or some of it is computed, where Nsight Systems stores rows"),
                             say("What nsys export --type sqlite writes")});
        }
        return {};
    }

    bool has(const char* table) {
        auto rows = database_->prepare("SELECT 1 FROM sqlite_schema WHERE name = ?");
        return rows && rows->bind(std::string_view(table)).next() == SQLITE_ROW;
    }

    /// `take` for each row of what `sql` asks of `table`, which the report need not have.
    Status each(const char* table, const std::string& sql, const std::function<Status(const Statement&)>& take) {
        if (!has(table)) return {};
        auto rows = database_->prepare(sql.c_str());
        if (!rows)
            return fail({say("cannot import the trace"), file_.string() + ", table " + table, database_->error("").why,
                         say("The columns that Nsight Systems documents")});
        int code = 0;
        for (std::int64_t left = rowsOf_[table]; (code = rows->next()) == SQLITE_ROW; --left) {
            if (left == 0)
                return fail({say("cannot import the trace"), file_.string() + ", table " + table,
                             say("its rows name texts that the file holds more than once"),
                             say("One row of StringIds, and of ENUM_CUDA_MEMCPY_OPER, for each id")});
            if (const Status room = trace_.room(); !room) return room;
            if (const Status taken = take(*rows); !taken) return taken;
            if (++done_ % rowsBetweenQuestions == 0 && watcher_ &&
                !watcher_(std::min(1.0, static_cast<double>(done_) / static_cast<double>(rows_))))
                return fail(Error{say("the import was cancelled"), "", "", ""});
        }
        if (code != SQLITE_DONE)
            return fail(
                {say("cannot import the trace"), file_.string() + ", table " + table, database_->error("").why, ""});
        return {};
    }

    std::uint32_t processOf(std::int64_t global) {
        const std::int64_t key = processPart(global);
        const auto known = processes_.find(key);
        if (known != processes_.end()) return known->second;
        const int pid = pidOf(key);
        ForeignProcess process{.source = fmt::format("{}, process {}", file_.filename().string(), pid),
                               .label = host_,
                               .host = host_,
                               .pid = pid};
        process.order = pid;
        return processes_[key] = trace_.addProcess(std::move(process));
    }

    /// Begin, end and global id are the first three columns. `launch` joins what a device does to the call that asked
    /// for it. None: its times are too large.
    std::optional<ForeignEvent> eventOf(const Statement& row, EventKind kind, Lane lane, std::string_view name,
                                        std::int64_t launch = 0, std::int64_t bytes = 0) {
        ForeignEvent event;
        if (__builtin_add_overflow(row.number(0), base_, &event.event.begin) ||
            __builtin_add_overflow(row.number(1), base_, &event.event.end)) {
            trace_.ignored("spans whose times are too large");
            return std::nullopt;
        }
        event.process = processOf(row.number(2));
        event.thread = threadOf(row.number(2));
        if (launch > 0 && launch <= std::numeric_limits<std::uint32_t>::max())
            event.launch = static_cast<std::uint32_t>(launch);
        event.event.action = trace_.name(name);
        event.event.bytes = bytes;
        event.event.lane = lane;
        event.event.kind = kind;
        if (kind == EventKind::Annotation)
            if (const auto step = stepNamed(name)) {
                event.event.kind = EventKind::Step;
                event.event.action = 0;
                event.event.step = *step;
                trace_.addStep(event.process, *step, event.event.begin, event.event.end);
            }
        return event;
    }

    template <class... More>
    Status add(const Statement& row, EventKind kind, Lane lane, const More&... more) {
        const auto event = eventOf(row, kind, lane, more...);
        return event ? trace_.add(*event) : Status();
    }

    /// What a device did, for an action or beside one.
    Status addWork(const Statement& row, EventKind kind, Lane lane, std::string_view name, std::int64_t launch) {
        auto event = eventOf(row, kind, lane, name, launch);
        if (!event) return {};
        if (kind == EventKind::Collective) event->event.bytes = payloads_.bytesOf(event->process, event->launch);
        const auto part = actions_.addWork(*event, name.find("SendRecv") != std::string_view::npos);
        if (!part) return fail(part.error());
        return *part ? Status() : trace_.add(*event);
    }

    Status kernels() {
        return each("CUPTI_ACTIVITY_KIND_KERNEL",
                    "SELECT k.start, k.end, k.globalPid, coalesce(s.value, 'kernel'), k.correlationId FROM "
                    "CUPTI_ACTIVITY_KIND_KERNEL k "
                    "LEFT JOIN StringIds s ON s.id = k.demangledName",
                    [this](const Statement& row) {
                        const std::string name = row.text(3);
                        trace_.process(processOf(row.number(2))).device = true;
                        return name.starts_with("nccl")
                                   ? addWork(row, EventKind::Collective, Lane::Comm, name, row.number(4))
                                   : addWork(row, EventKind::Kernel, Lane::Compute, name, row.number(4));
                    });
    }

    /// Graphs that are recorded as a whole, without their kernels.
    Status graphs() {
        return each("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                    "SELECT start, end, globalPid, graphId, correlationId FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                    [this](const Statement& row) {
                        return addWork(row, EventKind::Kernel, Lane::Compute,
                                       fmt::format("CUDA graph {}", row.number(3)), row.number(4));
                    });
    }

    Status copies() {
        const bool named = has("ENUM_CUDA_MEMCPY_OPER");
        return each("CUPTI_ACTIVITY_KIND_MEMCPY",
                    named
                        ? "SELECT m.start, m.end, m.globalPid, m.bytes, coalesce(e.label, 'copy'), m.correlationId "
                          "FROM CUPTI_ACTIVITY_KIND_MEMCPY m "
                          "LEFT JOIN ENUM_CUDA_MEMCPY_OPER e ON e.id = m.copyKind"
                        : "SELECT start, end, globalPid, bytes, 'copy', correlationId FROM CUPTI_ACTIVITY_KIND_MEMCPY",
                    [this](const Statement& row) {
                        return add(row, EventKind::MemoryCopy, Lane::Copy, row.text(4), row.number(5), row.number(3));
                    });
    }

    Status fills() {
        return each("CUPTI_ACTIVITY_KIND_MEMSET",
                    "SELECT start, end, globalPid, bytes, correlationId FROM CUPTI_ACTIVITY_KIND_MEMSET",
                    [this](const Statement& row) {
                        return add(row, EventKind::MemoryCopy, Lane::Copy, "fill", row.number(4), row.number(3));
                    });
    }

    Status calls() {
        return each("CUPTI_ACTIVITY_KIND_RUNTIME",
                    "SELECT r.start, r.end, r.globalTid, coalesce(s.value, 'call'), r.correlationId FROM "
                    "CUPTI_ACTIVITY_KIND_RUNTIME r "
                    "LEFT JOIN StringIds s ON s.id = r.nameId",
                    [this](const Statement& row) -> Status {
                        auto call = eventOf(row, EventKind::Operation, Lane::Host, row.text(3), row.number(4));
                        if (!call) return {};
                        if (const std::uint32_t launch = std::exchange(call->launch, 0); launch != 0) {
                            trace_.addLaunch(call->process, launch, call->event.begin);
                            actions_.addCall(call->process, call->event.begin, launch);
                            payloads_.addCall(call->process, call->thread, call->event.begin, launch);
                        }
                        return trace_.add(*call);
                    });
    }

    Status ranges() {
        payloadFields();
        const Status read = annotations();
        actions_.rangesEnd();
        payloads_.rangesEnd();
        return read;
    }

    void payloadFields() {
        constexpr const char* table = "NVTX_PAYLOAD_SCHEMA_ENTRIES";
        if (!has(table) || !hasColumns(table, {"domainId", "schemaId", "name", "type", "offset"})) return;
        auto rows = database_->prepare("SELECT domainId, schemaId, name, type, coalesce(offset, 0) FROM "
                                       "NVTX_PAYLOAD_SCHEMA_ENTRIES LIMIT 100000");
        while (rows && rows->next() == SQLITE_ROW)
            payloads_.addField(rows->number(0), rows->number(1), rows->text(2), rows->number(3), rows->number(4));
    }

    Status annotations() {
        return each("NVTX_EVENTS",
                    fmt::format("SELECT n.start, coalesce(n.end, n.start), n.globalTid, n.eventType, coalesce(n.text, "
                                "s.value, ''), n.end IS NULL, {} FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = "
                                "n.textId",
                                hasColumns("NVTX_EVENTS", {"binaryData"}) ? "n.binaryData" : "NULL"),
                    [this](const Statement& row) -> Status {
                        const std::int64_t type = row.number(3);
                        const bool range = type == pushPopRange || type == startEndRange;
                        if (range && row.number(5) != 0) trace_.ignored("NVTX ranges that never end");
                        else if (range) return annotate(row);
                        else if (type == nvtxMark) return add(row, EventKind::Mark, Lane::Host, row.text(4));
                        else trace_.ignored(fmt::format("NVTX events of type {}", type));
                        return {};
                    });
    }

    Status annotate(const Statement& row) {
        const std::string text = row.text(4);
        const auto event = eventOf(row, EventKind::Annotation, Lane::Host, text);
        if (!event) return {};
        if (event->event.kind == EventKind::Annotation) actions_.addRange(*event, text);
        payloads_.addRange(*event, text, row.bytes(6));
        return trace_.add(*event);
    }

    /// The host waits for a device.
    Status waits() {
        return eachNamed("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {"start", "end", "globalPid", "syncType"}, {},
                         [this](const Statement& row) {
                             return add(row, EventKind::Operation, Lane::Host,
                                        fmt::format("synchronisation of type {}", row.number(3)));
                         });
    }

    Status mpi() {
        for (const char* table : {"MPI_P2P_EVENTS", "MPI_COLLECTIVES_EVENTS"})
            if (const Status read = eachNamed(table, {"start", "end", "globalTid", "size"}, "textId",
                                              [this](const Statement& row) {
                                                  return add(row, EventKind::Collective, Lane::Comm, row.text(4), 0,
                                                             std::max<std::int64_t>(row.number(3), 0));
                                              });
                !read)
                return read;
        for (const char* table : {"MPI_START_WAIT_EVENTS", "MPI_OTHER_EVENTS"})
            if (const Status read = eachNamed(
                    table, {"start", "end", "globalTid"}, "textId",
                    [this](const Statement& row) { return add(row, EventKind::Operation, Lane::Host, row.text(3)); });
                !read)
                return read;
        return {};
    }

    /// Calls of the system's libraries.
    Status system() {
        return eachNamed("OSRT_API", {"start", "end", "globalTid"}, "nameId", [this](const Statement& row) {
            return add(row, EventKind::Operation, Lane::Host, row.text(3));
        });
    }

    Status mpiRanks() {
        if (!has("MPI_RANKS") || !hasColumns("MPI_RANKS", {"globalTid", "rank"})) return {};
        auto rows = database_->prepare("SELECT globalTid, rank FROM MPI_RANKS");
        while (rows && rows->next() == SQLITE_ROW) {
            const auto known = processes_.find(processPart(rows->number(0)));
            if (known != processes_.end() && rows->number(1) >= 0 && rows->number(1) < mostRanks)
                trace_.process(known->second).rank = static_cast<int>(rows->number(1));
        }
        return {};
    }

    bool hasColumns(const char* table, std::initializer_list<std::string_view> names) {
        return std::ranges::all_of(names, [&](std::string_view name) {
            auto rows = database_->prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
            return rows && rows->bind(std::string_view(table)).bind(name).next() == SQLITE_ROW;
        });
    }

    /// As each(), of these columns and, where `text` is not empty, of the text whose id that one is; the rows of a
    /// table that lacks one are counted.
    Status eachNamed(const char* table, std::initializer_list<std::string_view> columns, std::string_view text,
                     const std::function<Status(const Statement&)>& take) {
        if (!has(table)) return {};
        if (!hasColumns(table, columns) || (!text.empty() && !hasColumns(table, {text}))) return count(table);
        std::string sql = "SELECT ";
        for (const std::string_view column : columns)
            sql += fmt::format("{}t.{}", column == *columns.begin() ? "" : ", ", column);
        if (!text.empty()) sql += ", coalesce(s.value, 'call')";
        sql += fmt::format(" FROM {} t", table);
        if (!text.empty()) sql += fmt::format(" LEFT JOIN StringIds s ON s.id = t.{}", text);
        return each(table, sql, take);
    }

    Status count(std::string_view table) {
        std::string quoted;
        for (const char letter : table) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
        const auto rows = database_->number(fmt::format("SELECT count(*) FROM \"{}\"", quoted).c_str());
        if (rows.value_or(0) > 0) trace_.ignored("rows of the table " + visible(table, Lines::Visible), *rows);
        return {};
    }

    /// Whatever else the report holds is counted, by table.
    Status others() {
        auto tables =
            database_->prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 LIMIT 1000");
        std::vector<std::string> names;
        while (tables && tables->next() == SQLITE_ROW) names.push_back(tables->text(0));
        for (const std::string& name : names) {
            if (std::ranges::find(eventTables, name) != eventTables.end()) continue;
            if (std::ranges::find(describingTables, name) != describingTables.end()) continue;
            if (std::ranges::any_of(describingBegins, [&](const char* begin) { return name.starts_with(begin); }))
                continue;
            if (const Status counted = count(name); !counted) return counted;
        }
        return {};
    }

    /// Allocations and releases, added up for each device.
    Status memory() {
        std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> held;
        return each("CUDA_GPU_MEMORY_USAGE_EVENTS",
                    "SELECT start, start, globalPid, bytes, memoryOperationType, deviceId FROM "
                    "CUDA_GPU_MEMORY_USAGE_EVENTS ORDER BY start",
                    [this, held = std::move(held)](const Statement& row) mutable -> Status {
                        const std::uint32_t process = processOf(row.number(2));
                        std::int64_t& bytes = held[{process, row.number(5)}];
                        const std::int64_t change = row.number(3);
                        const bool allocation = row.number(4) == 0;
                        if (allocation ? __builtin_add_overflow(bytes, change, &bytes)
                                       : __builtin_sub_overflow(bytes, change, &bytes))
                            bytes = 0;
                        ForeignEvent event;
                        event.process = process;
                        if (__builtin_add_overflow(row.number(0), base_, &event.event.begin)) return {};
                        event.event.end = event.event.begin;
                        event.event.bytes = bytes;
                        event.event.value = static_cast<double>(bytes);
                        event.event.action = trace_.name(fmt::format("memory allocated, device {}", row.number(5)));
                        event.event.lane = Lane::Host;
                        event.event.kind = EventKind::NamedCounter;
                        trace_.addMemory(process, event.event.begin, bytes);
                        return trace_.add(event);
                    });
    }

    /// The process whose kernels ran on a GPU, by the GPU's number; the lowest where several share it.
    std::map<std::int64_t, std::uint32_t> usersOfDevices() {
        std::map<std::int64_t, std::uint32_t> users;
        if (!has("CUPTI_ACTIVITY_KIND_KERNEL") || !hasColumns("CUPTI_ACTIVITY_KIND_KERNEL", {"deviceId"})) return users;
        auto rows = database_->prepare(
            "SELECT deviceId, min(globalPid) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid IS NOT NULL GROUP BY 1");
        while (rows && rows->next() == SQLITE_ROW) users[rows->number(0)] = processOf(rows->number(1));
        return users;
    }

    /// Samples of a GPU's own counters, as counters of the rank that uses it; of a GPU that none uses, of the first.
    Status metrics() {
        if (!has("GPU_METRICS")) return {};
        if (!hasColumns("GPU_METRICS", {"timestamp", "typeId", "metricId", "value"})) return count("GPU_METRICS");
        const auto users = usersOfDevices();
        const bool named = has("TARGET_INFO_GPU_METRICS");
        return each("GPU_METRICS",
                    fmt::format("SELECT m.timestamp, m.typeId & 255, m.value, coalesce({}'metric ' || m.metricId) FROM "
                                "GPU_METRICS m {}",
                                named ? "n.metricName, " : "NULL, ",
                                named ? "LEFT JOIN TARGET_INFO_GPU_METRICS n ON n.typeId = m.typeId AND n.metricId = "
                                        "m.metricId"
                                      : ""),
                    [&](const Statement& row) -> Status {
                        ForeignEvent event;
                        if (__builtin_add_overflow(row.number(0), base_, &event.event.begin)) {
                            trace_.ignored("spans whose times are too large");
                            return {};
                        }
                        const auto user = users.find(row.number(1));
                        event.process = user != users.end()   ? user->second
                                        : !processes_.empty() ? processes_.begin()->second
                                                              : processOf(0);
                        event.event.end = event.event.begin;
                        event.event.value = static_cast<double>(row.number(2));
                        event.event.action = trace_.name(fmt::format("{}, device {}", row.text(3), row.number(1)));
                        event.event.lane = Lane::Host;
                        event.event.kind = EventKind::NamedCounter;
                        return trace_.add(event);
                    });
    }

    const std::filesystem::path& file_;
    ForeignTrace& trace_;
    const ShareWatcher& watcher_;
    NsightActions actions_{trace_};
    NsightPayloads payloads_;
    std::optional<Database> database_;
    std::map<std::int64_t, std::uint32_t> processes_;
    std::string host_;
    std::int64_t base_ = 0;
    std::map<std::string_view, std::int64_t> rowsOf_;  ///< of each table
    std::int64_t rows_ = 0;
    std::int64_t done_ = 0;
};

}  // namespace

Status readNsight(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher) {
    return NsightReader(file, trace, watcher).read();
}

}  // namespace shardlab::trace
