// SPDX-License-Identifier: Apache-2.0
// Perfetto's protobuf: packets that describe tracks, and packets with what begins, ends and counts on them. Numbers of
// fields are those of perfetto_trace.proto.
#include "engine/trace/interchange/export.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/interchange/lane_rows.h"
#include "engine/trace/interchange/message_numbers.h"
#include "engine/trace/interchange/proto_writer.h"
#include "engine/trace/interchange/trace_process.h"

#include <cmath>
#include <map>
#include <tuple>

namespace shardlab::trace {
namespace {

namespace file {
constexpr int packet = 1;
}
namespace packet {
constexpr int timestamp = 8, sequence = 10, trackEvent = 11, trackDescriptor = 60;
}
namespace track {
constexpr int uuid = 1, name = 2, process = 3, parent = 5, counter = 8, childOrder = 11, siblingRank = 12;
constexpr int processPid = 1, processName = 6;
constexpr int counterUnit = 3;
constexpr std::uint64_t explicitOrder = 3, bytes = 3;
}  // namespace track
namespace slice {
constexpr int annotation = 4, type = 9, trackUuid = 11, category = 22, name = 23, counterValue = 30, counterReal = 44;
constexpr int flow = 47, flowEnd = 48;
constexpr std::uint64_t begin = 1, end = 2, instant = 3, counter = 4;
constexpr int annotationName = 10, annotationInt = 4, annotationReal = 5, annotationText = 6;
}  // namespace slice
constexpr std::uint64_t sequenceNumber = 1;

ProtoWriter note(std::string_view name, std::int64_t value) {
    return ProtoWriter().text(slice::annotationName, name).whole(slice::annotationInt, value);
}
ProtoWriter note(std::string_view name, std::string_view value) {
    return ProtoWriter().text(slice::annotationName, name).text(slice::annotationText, value);
}
ProtoWriter note(std::string_view name, double value) {
    return ProtoWriter().text(slice::annotationName, name).real(slice::annotationReal, value);
}

class PerfettoWriter {
public:
    PerfettoWriter(const RunReader& run, ReplacingFile& out) : run_(run), out_(out), messages_(run.header()) {}

    Status write() {
        const Status read =
            visitEvents(run_, [&](std::span<const Event> events, EventSource source) { return add(events, source); });
        return status_ ? read : status_;
    }

private:
    bool add(std::span<const Event> events, EventSource source) {
        for (const Event& event : events) {
            if (event.begin < 0 || event.end < event.begin) continue;  // Perfetto's times are unsigned
            const int process = traceProcess(event.rank, source);
            if (isSpan(event.kind)) addSpan(event, process, source);
            else if (isCounter(event.kind)) addCounter(event, process);
            else addInstant(event, process);
        }
        if (status_) status_ = out_.write(bytes_.bytes());
        bytes_.clear();
        return status_.has_value();
    }

    void put(std::int64_t time, const ProtoWriter& event) {
        bytes_.message(file::packet, ProtoWriter()
                                         .number(packet::timestamp, static_cast<std::uint64_t>(time))
                                         .number(packet::sequence, sequenceNumber)
                                         .message(packet::trackEvent, event));
    }

    std::uint64_t describe(const ProtoWriter& descriptor, std::uint64_t uuid) {
        bytes_.message(
            file::packet,
            ProtoWriter().number(packet::sequence, sequenceNumber).message(packet::trackDescriptor, descriptor));
        return uuid;
    }

    std::uint64_t processTrack(int process) {
        std::uint64_t& uuid = processes_[process];
        if (uuid != 0) return uuid;
        const EventSource source = process < predictedProcesses ? EventSource::Measured : EventSource::Predicted;
        const std::string title = processTitle(run_, process - traceProcess(0, source), source);
        uuid = ++lastTrack_;
        // Process numbers begin at 1: 0 is Perfetto's idle process, so that the launcher needs another.
        const int number = process < 0 ? predictedProcesses : process + 1;
        const ProtoWriter about = ProtoWriter().whole(track::processPid, number).text(track::processName, title);
        return describe(ProtoWriter()
                            .number(track::uuid, uuid)
                            .message(track::process, about)
                            .number(track::childOrder, track::explicitOrder),
                        uuid);
    }

    std::uint64_t laneTrack(const Event& event, int process) {
        const LaneRows::Place place = rows_[{process, event.lane}].place(event);
        std::uint64_t& uuid = lanes_[{process, event.lane, place.row}];
        if (uuid != 0) return uuid;
        const std::uint64_t parent = processTrack(process);
        uuid = ++lastTrack_;
        return describe(ProtoWriter()
                            .number(track::uuid, uuid)
                            .text(track::name, laneTitle(event.lane, place.row))
                            .number(track::parent, parent)
                            .whole(track::siblingRank, laneOrder(event.lane, place.row)),
                        uuid);
    }

    std::uint64_t counterTrack(int process, const std::string& title, bool bytes) {
        std::uint64_t& uuid = counters_[{process, title}];
        if (uuid != 0) return uuid;
        const std::uint64_t parent = processTrack(process);
        uuid = ++lastTrack_;
        ProtoWriter about;
        if (bytes) about.number(track::counterUnit, track::bytes);
        return describe(ProtoWriter()
                            .number(track::uuid, uuid)
                            .text(track::name, title)
                            .number(track::parent, parent)
                            .message(track::counter, about)
                            .whole(track::siblingRank, 10000),
                        uuid);
    }

    void addSpan(const Event& event, int process, EventSource source) {
        const std::uint64_t uuid = laneTrack(event, process);
        const std::string_view own = run_.names().of(event.action);
        ProtoWriter begin;
        begin.number(slice::type, slice::begin).number(slice::trackUuid, uuid).text(slice::category, name(event.lane));
        begin.text(slice::name, own.empty() ? name(event.kind) : own);
        if (event.step >= 0) begin.message(slice::annotation, note("step", std::int64_t{event.step}));
        if (!own.empty()) begin.message(slice::annotation, note("kind", name(event.kind)));
        else if (event.action != 0)
            begin.message(slice::annotation, note("action", toText(actionFromId(event.action))));
        if (event.bytes != 0) begin.message(slice::annotation, note("bytes", event.bytes));
        if (event.value != 0 && std::isfinite(event.value))
            begin.message(slice::annotation, note("value", event.value));
        ProtoWriter end;
        end.number(slice::type, slice::end).number(slice::trackUuid, uuid);
        if (const auto message = messages_.number(event, source)) {
            // A receive begins when it is posted, often before its send: the arrow reaches its end.
            const auto number = static_cast<std::uint64_t>(*message) + 1;
            if (isSend(event.kind)) begin.fixed(slice::flow, number);
            else end.fixed(slice::flowEnd, number);
        }
        put(event.begin, begin);
        put(event.end, end);
    }

    void addCounter(const Event& event, int process) {
        const bool bytes = countsBytes(event.kind);
        const std::string title(event.kind == EventKind::NamedCounter ? run_.names().of(event.action)
                                                                      : name(event.kind));
        ProtoWriter counter;
        counter.number(slice::type, slice::counter).number(slice::trackUuid, counterTrack(process, title, bytes));
        if (bytes) counter.whole(slice::counterValue, event.bytes);
        else counter.real(slice::counterReal, event.value);
        put(event.begin, counter);
    }

    void addInstant(const Event& event, int process) {
        ProtoWriter instant;
        instant.number(slice::type, slice::instant)
            .number(slice::trackUuid, processTrack(process))
            .text(slice::category, name(event.lane));
        instant.text(slice::name, event.kind == EventKind::Mark ? run_.names().of(event.action) : name(event.kind));
        const auto command = event.kind == EventKind::Command ? commandOf(event) : std::nullopt;
        if (command) instant.message(slice::annotation, note("value", name(*command)));
        else instant.message(slice::annotation, note("value", event.value));
        if (event.step >= 0) instant.message(slice::annotation, note("step", std::int64_t{event.step}));
        put(event.begin, instant);
    }

    const RunReader& run_;
    ReplacingFile& out_;
    MessageNumbers messages_;
    ProtoWriter bytes_;
    Status status_;
    std::uint64_t lastTrack_ = 0;
    std::map<int, std::uint64_t> processes_;
    std::map<std::pair<int, Lane>, LaneRows> rows_;
    std::map<std::tuple<int, Lane, int>, std::uint64_t> lanes_;
    std::map<std::pair<int, std::string>, std::uint64_t> counters_;
};

}  // namespace

Status writePerfetto(const RunReader& run, ReplacingFile& out) { return PerfettoWriter(run, out).write(); }

}  // namespace shardlab::trace
