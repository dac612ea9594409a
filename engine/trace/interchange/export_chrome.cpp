// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/export.h"

#include "engine/base/device_time.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/interchange/lane_rows.h"
#include "engine/trace/interchange/message_numbers.h"
#include "engine/trace/interchange/trace_process.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

namespace shardlab::trace {
namespace {

std::string jsonText(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Nanoseconds as microseconds, exactly.
std::string micro(std::uint64_t nanoseconds) { return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000); }

std::string timestamp(std::int64_t time) {
    const auto size = static_cast<std::uint64_t>(time);
    return time < 0 ? fmt::format("-{}", micro(-size)) : micro(size);
}

/// Unsigned: an event from anywhere may span more than a signed number holds.
std::string duration(const Event& event) {
    if (event.end <= event.begin) return "0";
    return micro(static_cast<std::uint64_t>(event.end) - static_cast<std::uint64_t>(event.begin));
}

class ChromeWriter {
public:
    ChromeWriter(const RunReader& run, ReplacingFile& out) : run_(run), out_(out), messages_(run.header()) {}

    Status write() {
        const RunHeader& header = run_.header();
        text_ = fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"program\":\"Shardlab\",\"version\":{},"
                            "\"created\":{},\"layout\":{},\"paced\":{},\"stretch\":{}}},\"traceEvents\":[\n",
                            jsonText(header.version), jsonText(header.created), jsonText(header.layout.name),
                            header.paced, DeviceTime(header.stretch).stretch());
        const Status read =
            visitEvents(run_, [&](std::span<const Event> events, EventSource source) { return add(events, source); });
        text_ += "\n]}\n";
        flush();
        return status_ ? read : status_;
    }

private:
    bool add(std::span<const Event> events, EventSource source) {
        for (const Event& event : events) {
            const int process = traceProcess(event.rank, source);
            introduce(process, event.rank, source);
            if (isSpan(event.kind)) addSpan(event, process, source);
            else if (isCounter(event.kind) && std::isfinite(event.value)) addCounter(event, process);
            else addInstant(event, process);
        }
        return flush();
    }

    /// Names a process when it is first seen.
    void introduce(int process, int rank, EventSource source) {
        if (!processes_.insert(process).second) return;
        item(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", process,
             jsonText(processTitle(run_, rank, source)));
        item(R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})", process,
             process);
    }

    int thread(const Event& event, int process) {
        const LaneRows::Place place = rows_[{process, event.lane}].place(event);
        const int number = static_cast<int>(event.lane) + laneCount * place.row;
        if (place.fresh) {
            item(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process, number,
                 jsonText(laneTitle(event.lane, place.row)));
            item(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", process,
                 number, laneOrder(event.lane, place.row));
        }
        return number;
    }

    void addSpan(const Event& event, int process, EventSource source) {
        const int lane = thread(event, process);
        std::string details = fmt::format("\"step\":{}", event.step);
        // A name of its own is the title, and what it is a detail; else the kind is the title.
        const std::string_view own = run_.names().of(event.action);
        if (!own.empty()) details += fmt::format(",\"kind\":{}", jsonText(name(event.kind)));
        else if (event.action != 0)
            details += fmt::format(",\"action\":{}", jsonText(toText(actionFromId(event.action))));
        if (event.value != 0 && std::isfinite(event.value)) details += fmt::format(",\"value\":{}", event.value);
        if (event.bytes != 0) details += fmt::format(",\"bytes\":{}", event.bytes);
        item(R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
             jsonText(own.empty() ? name(event.kind) : own), name(event.lane), process, lane, timestamp(event.begin),
             duration(event), details);
        const auto message = messages_.number(event, source);
        if (!message) return;
        // The arrow leaves where the send begins and ends inside the receive, at its last nanosecond.
        const bool sends = isSend(event.kind);
        const std::int64_t at = sends || event.end <= event.begin ? event.begin : event.end - 1;
        item(R"({{"ph":"{}","name":"message","cat":"message","id":{},"pid":{},"tid":{},"ts":{}{}}})", sends ? "s" : "f",
             *message, process, lane, timestamp(at), sends ? "" : R"(,"bp":"e")");
    }

    /// All categories of memory are one counter, whose parts are stacked.
    void addCounter(const Event& event, int process) {
        std::string parts;
        std::string_view title = "memory";
        if (const auto category = memoryCategory(event.kind, EventKind::MemoryUsed)) {
            MemoryBytes& memory = memory_[process];
            memory[static_cast<std::size_t>(*category)] = event.bytes;
            for (int i = 0; i < memoryCategoryCount; ++i)
                parts += fmt::format("{}\"{}\":{}", i == 0 ? "" : ",", name(static_cast<MemoryCategory>(i)),
                                     memory[static_cast<std::size_t>(i)]);
        } else {
            title = event.kind == EventKind::NamedCounter ? run_.names().of(event.action) : name(event.kind);
            parts = countsBytes(event.kind) ? fmt::format("\"bytes\":{}", event.bytes)
                                            : fmt::format("\"value\":{}", event.value);
        }
        item(R"({{"ph":"C","name":{},"pid":{},"tid":0,"ts":{},"args":{{{}}}}})", jsonText(title), process,
             timestamp(event.begin), parts);
    }

    /// An instant, or a counter that is no number: that is worth seeing, and JSON cannot hold it.
    void addInstant(const Event& event, int process) {
        std::string value =
            std::isfinite(event.value) ? fmt::format("{}", event.value) : jsonText(fmt::format("{}", event.value));
        if (const auto command = event.kind == EventKind::Command ? commandOf(event) : std::nullopt)
            value = jsonText(name(*command));
        item(R"({{"ph":"i","s":"p","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"args":{{"value":{},"step":{}}}}})",
             jsonText(event.kind == EventKind::Mark ? run_.names().of(event.action) : name(event.kind)),
             name(event.lane), process, static_cast<int>(event.lane), timestamp(event.begin), value, event.step);
    }

    template <class... Arguments>
    void item(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        if (!std::exchange(first_, false)) text_ += ",\n";
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    }

    bool flush() {
        if (status_) status_ = out_.write(text_);
        text_.clear();
        return status_.has_value();
    }

    const RunReader& run_;
    ReplacingFile& out_;
    MessageNumbers messages_;
    std::string text_;
    bool first_ = true;
    Status status_;
    std::set<int> processes_;
    std::map<std::pair<int, Lane>, LaneRows> rows_;
    std::map<int, MemoryBytes> memory_;
};

}  // namespace

Status writeChrome(const RunReader& run, ReplacingFile& out) { return ChromeWriter(run, out).write(); }

}  // namespace shardlab::trace
