// SPDX-License-Identifier: Apache-2.0
// The one way in for whoever connects to a run: ranks and forwarders, viewers and other programs. It takes calls, waits
// a limited time for each caller's greeting, compares protocol and token, lets in or turns away with a reason, and
// counts. Used by one thread, but for the counts; never blocks.
#pragma once

#include "engine/base/token.h"
#include "engine/launch/link/link_pass.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

struct pollfd;

namespace shardlab::launch {

/// What a caller is told that has shown another token; no further try of it can change that.
inline constexpr const char* wrongToken = "wrong token";
/// What a caller is told that speaks no TLS to a listener that does; the token that it has shown is not looked at.
inline constexpr const char* tlsIsSpoken =
    "TLS is spoken here: whoever has the whole token, which begins with “tls”, speaks it too";

/// What became of the callers, by name. What was refused is shown to people, never silent.
struct CallerCounts {
    std::int64_t welcomed = 0;
    std::int64_t wrongToken = 0;
    std::int64_t wrongGreeting = 0;  ///< another protocol, or somebody who has no place here
    std::int64_t garbage = 0;        ///< bytes that are no frame, a wrong checksum, a frame out of place
    std::int64_t oversized = 0;      ///< a frame that is too long
    std::int64_t slowHandshake = 0;
    std::int64_t failedTls = 0;  ///< no TLS came about, with callers that may not have taken the listener for theirs
    std::int64_t tooMany = 0;    ///< turned away while as many as may be were inside
    std::int64_t refused() const {
        return wrongToken + wrongGreeting + garbage + oversized + slowHandshake + failedTls + tooMany;
    }
    /// "2 wrong tokens, 1 slow handshake"; empty where nothing was refused.
    std::string refusals() const;
};

/// Why a caller that has shown the token is turned away all the same.
struct Refusal {
    std::int64_t CallerCounts::*count;
    std::string reason;  ///< for the caller
};

/// "16 are connected, which is as many as may be".
std::string tooManyCallers(std::size_t most);

struct ListenerOptions {
    std::string token;                               ///< what a caller must show
    FrameType greeting{};                            ///< a caller's first frame
    std::optional<FrameType> refusal;                ///< tells a caller why it is turned away; none: it is told nothing
    std::chrono::milliseconds handshake{2000};       ///< a caller that has not shown its token by then is dropped
    std::shared_ptr<const LinkSecurity> security{};  ///< none: links are plain
};

/// All of a listener that does not depend on what a greeting says.
class ListenerBase {
public:
    ListenerBase(Descriptor socket, ListenerOptions options)
        : socket_(std::move(socket)), options_(std::move(options)) {}

    void watch(std::vector<pollfd>& watched) const;
    /// A call that did not come over the listener's own socket.
    void take(Descriptor caller, std::int64_t now);
    /// No further calls are taken, and those that wait are dropped.
    void close();

    /// May be called from any thread.
    CallerCounts counts() const;
    void count(std::int64_t CallerCounts::*which);
    /// Counts why a caller that was let in is dropped, where that is for what it has sent.
    void countEnd(LinkState state);

protected:
    struct PendingConnection {
        FrameLink link;
        std::int64_t since;
        bool gone = false;
    };
    void takeCalls(std::int64_t now);
    /// The connection's first frame, once it is there. A connection without one ends after a while.
    std::optional<Frame> hear(PendingConnection& pending, std::int64_t now);
    void turnAway(PendingConnection& pending, const Refusal& refusal);
    /// Whether the caller's link is as protected as it has to be.
    bool isProtected(const PendingConnection& pending) const;
    void turnAwayOtherProtocol(PendingConnection& pending, std::uint32_t theirs, std::uint32_t ours);
    void dropGone();

    Descriptor socket_;
    const ListenerOptions options_;
    std::vector<PendingConnection> pending_;

private:
    /// The mutex guards the counts.
    mutable std::mutex mutex_;
    CallerCounts counts_;
};

/// `Greeting`: the value in a caller's first frame (engine/base/fields.h), which has a `protocol`, by default the one
/// that is spoken here, and a `token`.
template <class Greeting>
class Listener : public ListenerBase {
public:
    using ListenerBase::ListenerBase;

    /// After a poll, which may have been of anything. Calls enter(link, greeting) for each caller that has shown the
    /// token by now: it moves the link to its place, or leaves it and returns a Refusal.
    template <class Enter>
    void attend(std::int64_t now, Enter enter) {
        takeCalls(now);
        for (PendingConnection& pending : pending_) {
            const std::optional<Frame> first = hear(pending, now);
            if (!first) continue;
            const Result<Greeting> greeting = decode<Greeting>(first->body);
            if (first->type != options_.greeting || !greeting) {
                count(&CallerCounts::garbage);
            } else if (!isProtected(pending)) {
                turnAway(pending, {&CallerCounts::wrongGreeting, tlsIsSpoken});
            } else if (greeting->protocol != Greeting{}.protocol) {
                turnAwayOtherProtocol(pending, greeting->protocol, Greeting{}.protocol);
            } else if (!sameToken(options_.token, greeting->token)) {
                turnAway(pending, {&CallerCounts::wrongToken, wrongToken});
            } else {
                pending.link.parser().setLimit(largestFrame);
                const std::optional<Refusal> refusal = enter(pending.link, *greeting);
                if (refusal) turnAway(pending, *refusal);
                else count(&CallerCounts::welcomed);
            }
        }
        dropGone();
    }
};

}  // namespace shardlab::launch
