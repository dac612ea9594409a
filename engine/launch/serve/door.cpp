// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/door.h"

#include "engine/base/token.h"

#include <fmt/format.h>
#include <poll.h>

namespace shardlab {
namespace {

constexpr std::size_t mostStrangers = 64;  ///< callers without a token at a time; further ones wait in the backlog

}  // namespace

std::string DoorCounts::text() const {
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

void Door::watch(std::vector<pollfd>& watched) const {
    if (listener_.valid() && strangers_.size() < mostStrangers) watched.push_back({listener_.value(), POLLIN, 0});
    for (const Stranger& stranger : strangers_) watched.push_back({stranger.link.descriptor(), POLLIN, 0});
}

void Door::close() {
    listener_.close();
    strangers_.clear();
}

std::vector<Guest> Door::attend(std::int64_t now, std::size_t inside) {
    while (listener_.valid() && strangers_.size() < mostStrangers) {
        auto socket = acceptTcp(listener_);
        if (!socket) break;
        strangers_.push_back({FrameLink(std::move(*socket)), now});
        strangers_.back().link.parser().setLimit(largestGreeting);
    }
    std::vector<Guest> guests;
    for (Stranger& stranger : strangers_) {
        std::optional<Greeting> greeting = hear(stranger);
        if (greeting && inside + guests.size() >= options_.mostInside) {
            turnAway(stranger, counts_.tooMany, fmt::format("{} are connected, which is as many as may be", options_.mostInside));
        } else if (greeting) {
            ++counts_.welcomed;
            stranger.gone = true;
            stranger.link.parser().setLimit(largestFrame);
            guests.push_back({std::move(stranger.link), std::move(*greeting)});
        } else if (!stranger.gone && now - stranger.since > options_.handshake.count() * 1'000'000) {
            ++counts_.slowHandshake;
            stranger.gone = true;
        }
    }
    std::erase_if(strangers_, [](const Stranger& stranger) { return stranger.gone; });
    return guests;
}

std::optional<Greeting> Door::hear(Stranger& stranger) {
    const auto count = stranger.link.receive();
    Frame frame;
    const FrameParser::Outcome outcome = stranger.link.parser().next(frame);
    if (outcome == FrameParser::Outcome::NeedMore) {
        stranger.gone = !count;
        return std::nullopt;
    }
    stranger.gone = true;
    if (outcome == FrameParser::Outcome::Oversized) ++counts_.oversized;
    if (outcome == FrameParser::Outcome::Damaged) ++counts_.garbage;
    if (outcome != FrameParser::Outcome::Frame) return std::nullopt;
    auto greeting = decodeGreeting(frame.body);
    if (static_cast<LiveFrame>(frame.type) != LiveFrame::Greeting || !greeting) {
        ++counts_.garbage;
        return std::nullopt;
    }
    if (greeting->protocol != liveProtocol) {
        turnAway(stranger, counts_.wrongGreeting,
                 fmt::format("protocol {} is not spoken here, {} is", greeting->protocol, liveProtocol));
    } else if (!sameToken(options_.token, greeting->token)) {
        turnAway(stranger, counts_.wrongToken, "wrong token");
    } else if (greeting->role != options_.role) {
        turnAway(stranger, counts_.wrongGreeting,
                 options_.role == CallerRole::Viewer ? "this is a run to watch: it takes no events of other programs"
                                                     : "this listens for programs that send events: it is not to be watched");
    } else {
        stranger.gone = false;
        return std::move(*greeting);
    }
    return std::nullopt;
}

void Door::turnAway(Stranger& stranger, std::int64_t& count, const std::string& reason) {
    ++count;
    stranger.gone = true;
    stranger.link.send(frameType(LiveFrame::Refusal), encodeText(reason));
    static_cast<void>(stranger.link.flush());
}

}  // namespace shardlab
