// SPDX-License-Identifier: Apache-2.0
// One viewer as the server sees it: what it has been sent, whether it still takes anything. Its queue is bounded; what
// does not fit stays in the run file.
#pragma once

#include "engine/launch/serve/live_frames.h"
#include "engine/trace/record/frame_link.h"
#include "engine/trace/run_file/row_fields.h"
#include "engine/trace/run_file/run_follower.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace shardlab::launch {

class Viewer {
public:
    Viewer(FrameLink link, std::uint64_t caller, std::int64_t now, std::int64_t newest, const std::string& notice);

    enum class State : std::uint8_t {
        Awaiting,   ///< it has not said yet from where on
        Following,  ///< all states behind this one are final
        Complete,   ///< it has been sent everything
        Refused,
        Lost,  ///< it closed its link without a word
        Left,
        Misbehaved,  ///< it said what nobody may: see linkState()
    };
    /// Takes what the viewer says.
    State listen();
    State state() const { return state_; }
    LinkState linkState() const { return linkState_; }
    /// Queues the rows that follow, up to the bound. True: there is, or may be, more to send. Error: the file cannot be
    /// read.
    Result<bool> feed(RunFollower& run, std::int64_t now);
    /// Queues the last frame; once it is sent the viewer is Complete, or Refused.
    void sendEnd(const RunEnd& end) { sendLast(LiveFrame::End, encode(end)); }
    void sendRefusal(const std::string& reason) { sendLast(LiveFrame::Refusal, encode(reason)); }
    /// Sends what the socket takes.
    void flush(std::int64_t now);
    bool stalled(std::int64_t now, std::chrono::milliseconds limit) const;

    const FrameLink& link() const { return link_; }
    std::uint64_t caller() const { return caller_; }
    std::int64_t since() const { return since_; }
    bool resumed() const { return resumed_; }
    bool upToDate() const { return upToDate_; }

private:
    bool take(const Frame& frame);
    void sendLast(LiveFrame type, const Bytes& body);
    void sendProgress(RunFollower& run, std::int64_t now);

    FrameLink link_;
    std::uint64_t caller_;
    State state_ = State::Awaiting;
    LinkState linkState_ = LinkState::Open;
    RunCursor cursor_;
    std::int64_t since_;
    std::int64_t tookAt_;  ///< when it last took something, or had nothing to take
    std::int64_t toldAt_ = 0;
    bool upToDate_ = false;
    bool resumed_ = false;
    std::optional<LiveFrame> last_;
};

}  // namespace shardlab::launch
