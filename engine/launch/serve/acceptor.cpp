// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/acceptor.h"

#include "engine/base/token.h"

#include <fmt/format.h>
#include <poll.h>

namespace shardlab {
namespace {

constexpr std::size_t mostPending = 64;  ///< callers without a token at a time; further ones wait in the backlog

}  // namespace

std::string AcceptorCounts::text() const {
    std::string text;
    const auto add = [&](std::int64_t count, const char* one, const char* many) {
        if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
    };
    add(wrongToken, "wrong token", "wrong tokens");
    add(wrongGreeting, "greeting of another protocol", "greetings of another protocol");
    add(garbage, "call of garbage", "calls of garbage");
    add(oversized, "oversized frame", "oversized frames");
    add(slowHandshake, "slow handshake", "slow handshakes");
    add(tooMany, "caller too many", "callers too many");
    return text;
}

void Acceptor::watch(std::vector<pollfd>& watched) const {
    if (listener_.valid() && pending_.size() < mostPending) watched.push_back({listener_.value(), POLLIN, 0});
    for (const PendingConnection& pending : pending_) watched.push_back({pending.link.descriptor(), POLLIN, 0});
}

void Acceptor::close() {
    listener_.close();
    pending_.clear();
}

std::vector<Peer> Acceptor::attend(std::int64_t now, std::size_t inside) {
    while (listener_.valid() && pending_.size() < mostPending) {
        auto socket = acceptTcp(listener_);
        if (!socket) break;
        pending_.push_back({FrameLink(std::move(*socket)), now});
        pending_.back().link.parser().setLimit(largestGreeting);
    }
    std::vector<Peer> peers;
    for (PendingConnection& pending : pending_) {
        std::optional<Greeting> greeting = hear(pending);
        if (greeting && inside + peers.size() >= options_.mostInside) {
            turnAway(pending, counts_.tooMany,
                     fmt::format("{} are connected, which is as many as may be", options_.mostInside));
        } else if (greeting) {
            ++counts_.welcomed;
            pending.gone = true;
            pending.link.parser().setLimit(largestFrame);
            peers.push_back({std::move(pending.link), std::move(*greeting)});
        } else if (!pending.gone && now - pending.since > options_.handshake.count() * 1'000'000) {
            ++counts_.slowHandshake;
            pending.gone = true;
        }
    }
    std::erase_if(pending_, [](const PendingConnection& pending) { return pending.gone; });
    return peers;
}

std::optional<Greeting> Acceptor::hear(PendingConnection& pending) {
    const auto count = pending.link.receive();
    Frame frame;
    const FrameParser::Outcome outcome = pending.link.parser().next(frame);
    if (outcome == FrameParser::Outcome::NeedMore) {
        pending.gone = !count;
        return std::nullopt;
    }
    pending.gone = true;
    if (outcome == FrameParser::Outcome::Oversized) ++counts_.oversized;
    if (outcome == FrameParser::Outcome::Damaged) ++counts_.garbage;
    if (outcome != FrameParser::Outcome::Frame) return std::nullopt;
    auto greeting = decodeGreeting(frame.body);
    if (static_cast<LiveFrame>(frame.type) != LiveFrame::Greeting || !greeting) {
        ++counts_.garbage;
        return std::nullopt;
    }
    if (greeting->protocol != liveProtocol) {
        turnAway(pending, counts_.wrongGreeting,
                 fmt::format("protocol {} is not spoken here, {} is", greeting->protocol, liveProtocol));
    } else if (!sameToken(options_.token, greeting->token)) {
        turnAway(pending, counts_.wrongToken, "wrong token");
    } else if (greeting->role != options_.role) {
        turnAway(pending, counts_.wrongGreeting,
                 options_.role == CallerRole::Viewer
                     ? "this is a run to watch: it takes no events of other programs"
                     : "this listens for programs that send events: it is not to be watched");
    } else {
        pending.gone = false;
        return std::move(*greeting);
    }
    return std::nullopt;
}

void Acceptor::turnAway(PendingConnection& pending, std::int64_t& count, const std::string& reason) {
    ++count;
    pending.gone = true;
    pending.link.send(frameType(LiveFrame::Refusal), encodeText(reason));
    static_cast<void>(pending.link.flush());
}

}  // namespace shardlab
