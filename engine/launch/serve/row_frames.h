// SPDX-License-Identifier: Apache-2.0
// Rows of a run as frames to a viewer, and back.
#pragma once

#include "engine/launch/serve/live_frames.h"
#include "engine/trace/record/frame_link.h"
#include "engine/trace/run_file/run_rows.h"

namespace shardlab::launch {

/// Queues each row that it is given as a frame to the viewer.
class RowFrames final : public RowSink {
public:
    explicit RowFrames(FrameLink& link) : link_(link) {}

    void meta(std::string_view key, std::string_view value) override;
    void rank(const RankRecord& record) override;
    void log(std::int64_t id, const LogLine& line) override;
    void name(std::int64_t number, std::string_view text) override;
    void block(const BlockPart& part) override;

    /// Whether a row did not fit into a frame, and was not queued.
    bool tooLong() const { return tooLong_; }

private:
    void send(LiveFrame type, const auto& row);

    FrameLink& link_;
    Bytes body_;
    bool tooLong_ = false;
};

/// Gives `sink` the row that `frame` holds and moves `position` behind it. False: the frame holds no row, is damaged,
/// or does not follow on `position`.
bool takeRow(const Frame& frame, RunPosition& position, RowSink& sink);

}  // namespace shardlab::launch
