// SPDX-License-Identifier: Apache-2.0
// One end of a connection that carries frames; never blocks.
#pragma once

#include "engine/base/unix_socket.h"
#include "engine/trace/record/wire.h"

namespace shardlab {

class FrameLink {
public:
    explicit FrameLink(Descriptor socket) : socket_(std::move(socket)) {}

    int descriptor() const { return socket_.value(); }
    FrameParser& parser() { return parser_; }

    /// Reads once what has arrived, up to 256 KiB, into the parser. Bytes read; empty: the other side has gone.
    std::optional<std::size_t> receive();

    /// Queues; flush() sends as much as the socket takes. False: the other side has gone.
    void send(FrameType type, std::span<const std::byte> body) { appendFrame(out_, type, body); }
    void sendNumber(FrameType type, std::uint64_t number) { send(type, std::as_bytes(std::span(&number, 1))); }
    void sendRaw(std::span<const std::byte> frames) { out_.insert(out_.end(), frames.begin(), frames.end()); }
    bool flush();
    std::size_t queued() const { return out_.size() - sent_; }
    /// Whether so little is queued that more bulk data may follow: what is urgent then waits for little.
    bool hasRoom() const { return queued() < roomBelow; }

private:
    static constexpr std::size_t roomBelow = std::size_t{1} << 17;  ///< bytes

    Descriptor socket_;
    FrameParser parser_;
    Bytes room_;
    Bytes out_;
    std::size_t sent_ = 0;
};

}  // namespace shardlab
