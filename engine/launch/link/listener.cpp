// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/link/listener.h"

#include "engine/base/clock.h"
#include "engine/base/socket.h"

#include <fmt/format.h>
#include <poll.h>

namespace shardlab::launch {
namespace {

constexpr std::size_t largestGreeting = 4096;  ///< type and body of what a caller may send before it is let in
constexpr std::size_t mostPending = 64;        ///< callers without a token at a time; further ones wait in the backlog

}  // namespace

std::string CallerCounts::refusals() const {
    std::string text;
    const auto add = [&](std::int64_t count, const char* one, const char* many) {
        if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
    };
    add(wrongToken, "wrong token", "wrong tokens");
    add(wrongGreeting, "greeting of another protocol", "greetings of another protocol");
    add(garbage, "call of garbage", "calls of garbage");
    add(oversized, "oversized frame", "oversized frames");
    add(slowHandshake, "slow handshake", "slow handshakes");
    add(failedTls, "failed handshake of TLS", "failed handshakes of TLS");
    add(tooMany, "caller too many", "callers too many");
    return text;
}

std::string tooManyCallers(std::size_t most) {
    return fmt::format("{} are connected, which is as many as may be", most);
}

void ListenerBase::watch(std::vector<pollfd>& watched) const {
    if (socket_.valid() && pending_.size() < mostPending) watched.push_back({socket_.value(), POLLIN, 0});
    for (const PendingConnection& pending : pending_) watched.push_back(pending.link.awaited());
}

void ListenerBase::close() {
    socket_.close();
    pending_.clear();
}

CallerCounts ListenerBase::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

void ListenerBase::count(std::int64_t CallerCounts::*which) {
    const std::lock_guard lock(mutex_);
    ++(counts_.*which);
}

void ListenerBase::countEnd(LinkState state) {
    if (state == LinkState::Oversized) count(&CallerCounts::oversized);
    if (state == LinkState::Damaged || state == LinkState::Refused) count(&CallerCounts::garbage);
}

void ListenerBase::takeCalls(std::int64_t now) {
    while (socket_.valid() && pending_.size() < mostPending) {
        auto caller = acceptCall(socket_);
        if (!caller) return;
        take(std::move(*caller), now);
    }
}

void ListenerBase::take(Descriptor caller, std::int64_t now) {
    auto transport = options_.security ? options_.security->transport() : nullptr;
    pending_.push_back({FrameLink(std::move(caller), std::move(transport)), now});
    pending_.back().link.parser().setLimit(largestGreeting);
}

std::optional<Frame> ListenerBase::hear(PendingConnection& pending, std::int64_t now) {
    std::optional<Frame> first;
    const LinkState state = pending.link.read([&](const Frame& frame) {
        first = frame;
        return false;  // what follows waits until the caller is let in
    });
    const bool slow = state == LinkState::Open && now - pending.since > options_.handshake.count() * nsPerMillisecond;
    pending.gone = state != LinkState::Open || slow;
    if (slow) count(&CallerCounts::slowHandshake);
    const Transport* const transport = pending.link.transport();
    if (transport && !transport->fault().empty()) count(&CallerCounts::failedTls);
    else if (!first) countEnd(state);
    return first;
}

void ListenerBase::turnAway(PendingConnection& pending, const Refusal& refusal) {
    count(refusal.count);
    if (!options_.refusal) return;
    pending.link.send(*options_.refusal, encode(refusal.reason));
    static_cast<void>(pending.link.flush());
}

bool ListenerBase::isProtected(const PendingConnection& pending) const {
    return !options_.security || pending.link.transport()->established();
}

void ListenerBase::turnAwayOtherProtocol(PendingConnection& pending, std::uint32_t theirs, std::uint32_t ours) {
    turnAway(pending,
             {&CallerCounts::wrongGreeting, fmt::format("protocol {} is not spoken here, {} is", theirs, ours)});
}

void ListenerBase::dropGone() {
    std::erase_if(pending_, [](const PendingConnection& pending) { return pending.gone; });
}

}  // namespace shardlab::launch
