// SPDX-License-Identifier: Apache-2.0
// One viewer as the server sees it: what it has been sent, whether it still takes anything. Its queue is bounded; what
// does not fit stays in the run file.
#pragma once

#include "engine/trace/run_file/run_follower.h"
#include "engine/launch/serve/acceptor.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace shardlab {

class Viewer {
public:
    Viewer(Peer peer, std::int64_t now, std::int64_t newest, const std::string& notice);

    /// All from Complete on are final: it has been sent everything; refused; closed its link without a word; took its
    /// leave; said what nobody may.
    enum class State : std::uint8_t { Awaiting, Following, Complete, Refused, Lost, Left, Garbage, Oversized };
    /// Takes what the viewer says. Awaiting until it has said from where on.
    State listen();
    State state() const { return state_; }
    /// Queues what follows, up to the bound. True: there was more to send than fits, or may be. Error: of the file.
    Result<bool> feed(RunFollower& run, std::int64_t now);
    /// The last word; once it is sent the viewer is Complete, or Refused.
    void sendEnd(const RunEnd& end) { sendLast(LiveFrame::End, encode(end)); }
    void sendRefusal(const std::string& reason) { sendLast(LiveFrame::Refusal, encodeText(reason)); }
    /// Sends what the socket takes.
    void flush(std::int64_t now);
    bool stalled(std::int64_t now, std::chrono::milliseconds limit) const;

    const FrameLink& link() const { return peer_.link; }
    std::uint64_t caller() const { return peer_.greeting.caller; }
    std::int64_t since() const { return since_; }
    bool resumed() const { return resumed_; }
    bool upToDate() const { return upToDate_; }

private:
    void sendLast(LiveFrame type, const Bytes& body);
    void sendProgress(RunFollower& run, std::int64_t now);

    Peer peer_;
    State state_ = State::Awaiting;
    RunCursor cursor_;
    std::int64_t since_;
    std::int64_t tookAt_;  ///< when it last took something, or had nothing to take
    std::int64_t toldAt_ = 0;
    bool upToDate_ = false;
    bool resumed_ = false;
    std::optional<LiveFrame> last_;
};

}  // namespace shardlab
