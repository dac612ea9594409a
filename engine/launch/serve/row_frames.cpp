// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/row_frames.h"

#include "engine/trace/event/legal_time.h"

namespace shardlab {

void RowFrames::send(LiveFrame type) {
    if (body_.size() < largestFrame) link_.send(frameType(type), body_);
    else tooLong_ = true;
    body_.clear();
}

void RowFrames::meta(std::string_view key, std::string_view value) {
    ByteWriter writer(body_);
    writer.text(key);
    writer.text(value);
    send(LiveFrame::Meta);
}

void RowFrames::rank(const RankRecord& record) {
    ByteWriter writer(body_);
    writer.fixed(static_cast<std::int32_t>(record.rank));
    writer.fixed(static_cast<std::int32_t>(record.pid));
    for (const std::string* text : {&record.host, &record.label, &record.end}) writer.text(*text);
    send(LiveFrame::Rank);
}

void RowFrames::log(std::int64_t id, const LogLine& line) {
    ByteWriter writer(body_);
    writer.fixed(id);
    writer.fixed(line.time);
    writer.fixed(static_cast<std::int32_t>(line.rank));
    writer.fixed(line.level);
    writer.text(std::string_view(line.text).substr(0, largestLogText));
    send(LiveFrame::Log);
}

void RowFrames::name(std::int64_t number, std::string_view text) {
    ByteWriter writer(body_);
    writer.fixed(number);
    writer.text(text.substr(0, largestLogText));
    send(LiveFrame::Name);
}

void RowFrames::block(const BlockPart& part) {
    ByteWriter writer(body_);
    writer.fixed(part.of.source);
    writer.fixed(static_cast<std::int32_t>(part.of.rank));
    writer.fixed(part.of.lane);
    writer.varint(static_cast<std::uint64_t>(part.block));
    writer.varint(part.first);
    writer.varint(part.count);
    writer.bytes(part.packed);
    send(LiveFrame::Block);
}

bool takeRow(const Frame& frame, RunPosition& position, RowSink& sink) {
    ByteReader reader(frame.body);
    switch (static_cast<LiveFrame>(frame.type)) {
    case LiveFrame::Meta: {
        const std::string key = reader.text();
        const std::string value = reader.text();
        if (reader.atEnd()) sink.meta(key, value);
        return reader.atEnd();
    }
    case LiveFrame::Rank: {
        RankRecord record;
        record.rank = reader.fixed<std::int32_t>();
        record.pid = reader.fixed<std::int32_t>();
        for (std::string* text : {&record.host, &record.label, &record.end}) *text = reader.text();
        if (reader.atEnd()) sink.rank(record);
        return reader.atEnd();
    }
    case LiveFrame::Log: {
        const auto id = reader.fixed<std::int64_t>();
        LogLine line;
        line.time = reader.fixed<std::int64_t>();
        line.rank = reader.fixed<std::int32_t>();
        line.level = reader.fixed<LogLevel>();
        line.text = reader.text();
        if (!reader.atEnd() || line.level > LogLevel::Error || !isLegalTime(line.time) || id <= position.log)
            return false;
        position.log = id;
        sink.log(id, line);
        return true;
    }
    case LiveFrame::Name: {
        const auto number = reader.fixed<std::int64_t>();
        const std::string text = reader.text();
        if (!reader.atEnd() || number <= position.name || number > 0xffff'ffff) return false;
        position.name = number;
        sink.name(number, text);
        return true;
    }
    case LiveFrame::Block: {
        BlockPart part;
        part.of.source = reader.fixed<EventSource>();
        part.of.rank = reader.fixed<std::int32_t>();
        part.of.lane = reader.fixed<Lane>();
        part.block = static_cast<std::int64_t>(reader.varint());
        part.first = static_cast<std::uint32_t>(reader.varint());
        part.count = static_cast<std::uint32_t>(reader.varint());
        part.packed = reader.bytes(reader.left());
        if (!reader.ok() || part.of.source > EventSource::Predicted || static_cast<int>(part.of.lane) >= laneCount ||
            !position.take(part))
            return false;
        sink.block(part);
        return true;
    }
    default: return false;
    }
}

}  // namespace shardlab
