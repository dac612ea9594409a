// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/row_frames.h"

#include "engine/trace/run_file/row_fields.h"

namespace shardlab::launch {

void RowFrames::send(LiveFrame type, const auto& row) {
    body_.clear();
    encode(row, body_);
    if (body_.size() < largestFrame) link_.send(type, body_);
    else tooLong_ = true;
}

void RowFrames::meta(std::string_view key, std::string_view value) { send(LiveFrame::Meta, MetaRow{key, value}); }
void RowFrames::rank(const RankRecord& record) { send(LiveFrame::Rank, record); }
void RowFrames::log(std::int64_t id, const LogLine& line) { send(LiveFrame::Log, LogRow{id, line}); }
void RowFrames::name(std::int64_t number, std::string_view text) { send(LiveFrame::Name, NameRow{number, text}); }
void RowFrames::block(const BlockPart& part) { send(LiveFrame::Block, part); }

bool takeRow(const Frame& frame, RunPosition& position, RowSink& sink) {
    switch (frame.as<LiveFrame>()) {
    case LiveFrame::Meta: {
        const auto row = decode<MetaRow>(frame.body);
        if (row) sink.meta(row->key, row->value);
        return row.has_value();
    }
    case LiveFrame::Rank: {
        const auto record = decode<RankRecord>(frame.body);
        if (record) sink.rank(*record);
        return record.has_value();
    }
    case LiveFrame::Log: {
        const auto row = decode<LogRow>(frame.body);
        if (!row || row->id <= position.log) return false;
        position.log = row->id;
        sink.log(row->id, row->line);
        return true;
    }
    case LiveFrame::Name: {
        const auto row = decode<NameRow>(frame.body);
        if (!row || row->number <= position.name) return false;
        position.name = row->number;
        sink.name(row->number, row->text);
        return true;
    }
    case LiveFrame::Block: {
        const auto part = decode<BlockPart>(frame.body);
        if (!part || !position.take(*part)) return false;
        sink.block(*part);
        return true;
    }
    default: return false;
    }
}

}  // namespace shardlab::launch
