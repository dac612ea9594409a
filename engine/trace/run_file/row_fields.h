// SPDX-License-Identifier: Apache-2.0
// Rows of a run, and a position among them, as bytes (engine/base/fields.h): what a viewer of a live run is sent and
// what it answers. The bytes are written down in resources/manual/72-links.md.
#pragma once

#include "engine/base/fields.h"
#include "engine/trace/event/legal_time.h"
#include "engine/trace/run_file/run_rows.h"

#include <cstdint>
#include <string_view>
#include <utility>

namespace shardlab::trace {

struct MetaRow {
    std::string_view key, value;
};
void fields(auto& archive, FieldsOf<MetaRow> auto& row) {
    archive.frame("row of meta");
    archive("key", row.key);
    archive("value", row.value);
}

void fields(auto& archive, FieldsOf<RankRecord> auto& record) {
    archive.frame("row of a rank");
    archive("rank", record.rank);
    archive("pid", record.pid);
    archive("host", record.host);
    archive("label", record.label);
    archive("end", record.end);
}

struct LogRow {
    std::int64_t id = 0;
    LogLine line;
};
void fields(auto& archive, FieldsOf<LogRow> auto& row) {
    archive.frame("row of the log");
    archive("id", row.id);
    archive("time", row.line.time, isLegalTime, legalTimes);
    archive("rank", row.line.rank);
    archive("level", row.line.level, LogLevel::Error);
    archive.text("text", row.line.text, largestLogText);
}

struct NameRow {
    std::int64_t number = 0;
    std::string_view text;
};
void fields(auto& archive, FieldsOf<NameRow> auto& row) {
    constexpr auto isNumber = [](std::int64_t number) { return number > 0 && number <= 0xffff'ffff; };
    archive.frame("row of a name");
    archive("number", row.number, isNumber, "1 to 4294967295");
    archive.text("text", row.text, largestLogText);
}

void fields(auto& archive, FieldsOf<LaneOfRun> auto& lane) {
    archive("source", lane.source, EventSource::Predicted);
    archive("rank", lane.rank);
    archive("lane", lane.lane, Lane::Host);
}

void fields(auto& archive, FieldsOf<BlockPart> auto& part) {
    archive.frame("block of events");
    fields(archive, part.of);
    archive.varint("block", part.block);
    archive.varint("first", part.first);
    archive.varint("count", part.count);
    archive.rest("packed", part.packed);
}

void fields(auto& archive, FieldsOf<RunPosition> auto& position) {
    archive.frame("position");
    archive("log", position.log);
    archive("name", position.name);
    archive.list("lane", position.lanes);
}
/// A lane and how much of it has been taken.
template <class Archive, class Entry>
requires std::same_as<std::remove_const_t<typename Entry::first_type>, LaneOfRun>
void fields(Archive& archive, Entry& entry) {
    fields(archive, entry.first);
    archive.varint("block", entry.second.block);
    archive.varint("taken", entry.second.taken);
}

void fields(auto& archive, FieldsOf<RunEnd> auto& end) {
    archive.frame("end of a run");
    archive("outcome", end.outcome);
    archive("reason", end.reason);
}

}  // namespace shardlab::trace
