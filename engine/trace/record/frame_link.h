// SPDX-License-Identifier: Apache-2.0
// One end of a connection that carries frames; never blocks.
#pragma once

#include "engine/base/unix_socket.h"
#include "engine/trace/record/wire.h"

#include <memory>
#include <poll.h>
#include <string>

namespace shardlab::trace {

/// How a link stands after its frames have been taken; each state but Open is its end.
enum class LinkState : std::uint8_t {
    Open,
    Closed,     ///< the other side has gone
    Refused,    ///< whoever takes the frames did not take one
    Oversized,  ///< a frame is longer than may be
    Damaged,    ///< a checksum is wrong, or the transport says that bytes are
};

/// What the bytes of a connection go through on their way: TLS. Never blocks; used by one thread.
class Transport {
public:
    virtual ~Transport() = default;
    /// As receiveSome() and sendSome() of the socket; the room to receive in is 64 KiB at least. Until both sides have
    /// agreed nothing is received, and nothing sent but what they agree by.
    virtual std::optional<std::size_t> receive(const Descriptor& socket, std::span<std::byte> room) = 0;
    virtual std::optional<std::size_t> send(const Descriptor& socket, std::span<const std::byte> bytes) = 0;
    /// Both sides have agreed.
    virtual bool established() const = 0;
    /// Why the connection is over, where what the other side did is to blame; else empty.
    virtual const std::string& fault() const = 0;
};

class FrameLink {
public:
    /// Without a transport the bytes go as they are.
    explicit FrameLink(Descriptor socket, std::unique_ptr<Transport> transport = nullptr)
        : socket_(std::move(socket)), transport_(std::move(transport)) {}

    int descriptor() const { return socket_.value(); }
    /// What is to be waited for: something to read and, where something is queued that may go, room for it.
    pollfd awaited() const {
        const bool mayGo = queued() > 0 && (!transport_ || transport_->established());
        return {descriptor(), static_cast<short>(mayGo ? POLLIN | POLLOUT : POLLIN), 0};
    }
    const Transport* transport() const { return transport_.get(); }
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
        if (state != LinkState::Open || open) return state;
        return transport_ && !transport_->fault().empty() ? LinkState::Damaged : LinkState::Closed;
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
    std::unique_ptr<Transport> transport_;
    FrameParser parser_;
    Bytes room_;
    Bytes out_;
    std::size_t sent_ = 0;
};

}  // namespace shardlab::trace
