// SPDX-License-Identifier: Apache-2.0
// For whatever listens on TCP: takes calls, waits a limited time for each caller's greeting, compares the token,
// lets in or turns away, counts. Used by one thread; never blocks.
#pragma once

#include "engine/base/tcp_socket.h"
#include "engine/trace/record/frame_link.h"
#include "engine/launch/serve/live_frames.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

struct pollfd;

namespace shardlab {

struct AcceptorOptions {
    std::string token;
    CallerRole role = CallerRole::Viewer;
    std::size_t mostInside = 16;                ///< further ones are told so and turned away
    std::chrono::milliseconds handshake{2000};  ///< a caller that has not shown its token by then is dropped
};

/// What was refused, by name; shown, never silent.
struct AcceptorCounts {
    std::int64_t welcomed = 0;
    std::int64_t wrongToken = 0;
    std::int64_t wrongGreeting = 0;  ///< another protocol, or a sender where viewers are expected
    std::int64_t garbage = 0;        ///< bytes that are no frame, a wrong checksum, a frame out of place
    std::int64_t oversized = 0;      ///< a frame that is too long
    std::int64_t slowHandshake = 0;
    std::int64_t tooMany = 0;  ///< turned away while as many as may be were inside
    std::int64_t refused() const { return wrongToken + wrongGreeting + garbage + oversized + slowHandshake + tooMany; }
    /// "2 wrong tokens, 1 slow handshake"; empty where nothing was refused.
    std::string text() const;
};

struct Peer {
    FrameLink link;
    Greeting greeting;
};

class Acceptor {
public:
    Acceptor(Descriptor listener, AcceptorOptions options)
        : listener_(std::move(listener)), options_(std::move(options)) {}

    void watch(std::vector<pollfd>& watched) const;
    /// After a poll, which may have been of anything: who has shown the token by now. `inside`: how many are.
    std::vector<Peer> attend(std::int64_t now, std::size_t inside);
    /// No further calls are taken.
    void close();

    AcceptorCounts& counts() { return counts_; }

private:
    struct PendingConnection {
        FrameLink link;
        std::int64_t since;
        bool gone = false;
    };
    /// The connection's greeting where it is good; a bad one ends it.
    std::optional<Greeting> hear(PendingConnection& pending);
    void turnAway(PendingConnection& pending, std::int64_t& count, const std::string& reason);

    Descriptor listener_;
    AcceptorOptions options_;
    std::vector<PendingConnection> pending_;
    AcceptorCounts counts_;
};

}  // namespace shardlab
