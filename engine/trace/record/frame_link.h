// SPDX-License-Identifier: Apache-2.0
// One end of a connection that carries frames; never blocks.
#pragma once

#include "engine/base/unix_socket.h"
#include "engine/trace/record/wire.h"

namespace shardlab::trace {

/// How a link stands after its frames have been taken; each state but Open is its end.
enum class LinkState : std::uint8_t {
    Open,
    Closed,     ///< the other side has gone
    Refused,    ///< whoever takes the frames did not take one
    Oversized,  ///< a frame is longer than may be
    Damaged,    ///< a checksum is wrong
};

class FrameLink {
public:
    explicit FrameLink(Descriptor socket) : socket_(std::move(socket)) {}

    int descriptor() const { return socket_.value(); }
    FrameParser& parser() { return parser_; }

    /// Reads once what has arrived, up to 256 KiB, into the parser. Bytes read; empty: the other side has gone.
    std::optional<std::size_t> receive();
    /// Gives each whole frame that has been received to `take`, until that returns false.
    template <class Take>
    LinkState takeFrames(Take take) {
        Frame frame;
        for (;;) {
            switch (parser_.next(frame)) {
            case FrameParser::Outcome::NeedMore: return LinkState::Open;
            case FrameParser::Outcome::Oversized: return LinkState::Oversized;
            case FrameParser::Outcome::Damaged: return LinkState::Damaged;
            case FrameParser::Outcome::Frame: break;
            }
            if (!take(frame)) return LinkState::Refused;
        }
    }
    /// receive(), then takeFrames().
    template <class Take>
    LinkState read(Take take) {
        const bool open = receive().has_value();
        const LinkState state = takeFrames(take);
        return state == LinkState::Open && !open ? LinkState::Closed : state;
    }

    /// Puts a frame into the queue.
    void send(FrameTypes auto type, std::span<const std::byte> body) { appendFrame(out_, type, body); }
    void sendRaw(std::span<const std::byte> frames) { out_.insert(out_.end(), frames.begin(), frames.end()); }
    /// Sends as much of the queue as the socket takes. False: the other side has gone.
    bool flush();
    std::size_t queued() const { return out_.size() - sent_; }
    /// Whether so little is queued that more bulk data may follow: what is urgent then waits for little.
    bool hasRoom() const { return queued() < roomBelow; }

private:
    /// The bytes that may be queued before bulk data waits.
    static constexpr std::size_t roomBelow = std::size_t{1} << 17;

    Descriptor socket_;
    FrameParser parser_;
    Bytes room_;
    Bytes out_;
    std::size_t sent_ = 0;
};

}  // namespace shardlab::trace
