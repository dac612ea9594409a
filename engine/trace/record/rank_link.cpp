// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/rank_link.h"

#include "engine/base/clock.h"

#include <array>
#include <unistd.h>

namespace shardlab::trace {
namespace {

constexpr std::int64_t attemptEvery = 50'000'000;
constexpr std::int64_t heldOn = nsPerSecond;
constexpr std::size_t sendAtOnce = std::size_t{1} << 18;

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

void RankLink::advance(std::int64_t now) {
    if (state_ == State::Down && now >= nextAttempt_) connect(now);
    if (!link_) return;
    if (receive() && sendSpool() && link_->flush()) return;
    const bool greeted = state_ == State::Open;
    link_.reset();
    state_ = State::Down;
    nextAttempt_ = now + attemptEvery;
    // What was held so long was no refusal: somebody between here and the collector waits for it.
    if (!greeted && now - connectedAt_ > heldOn) refusedSince_.reset();
    if (!greeted) refused(now, "the collector closed the connection without a welcome");
}

void RankLink::connect(std::int64_t now) {
    auto socket = connectUnix(options_.socket);
    nextAttempt_ = now + attemptEvery;
    if (!socket) return refused(now, socket.error().why.english());
    link_.emplace(std::move(*socket));
    state_ = State::Greeting;
    connectedAt_ = now;
    Hello hello;
    hello.rank = options_.rank;
    hello.pid = ::getpid();
    hello.commandsTaken = commandsTaken_;
    hello.host = hostName();
    hello.token = options_.token;
    link_->send(FrameType::Hello, encode(hello));
}

void RankLink::refused(std::int64_t now, std::string why) {
    refusal_ = std::move(why);
    if (!refusedSince_) refusedSince_ = now;
    if (now - *refusedSince_ >= options_.giveUpAfter) state_ = State::Orphaned;
}

bool RankLink::receive() {
    return link_->read([this](const Frame& frame) { return take(frame); }) == LinkState::Open;
}

bool RankLink::take(const Frame& frame) {
    switch (frame.type) {
    case FrameType::Welcome:
    case FrameType::Ack: {
        const auto offset = decode<std::uint64_t>(frame.body);
        if (!offset || *offset < acknowledged_ || *offset > spool_.end()) return false;
        acknowledged_ = *offset;
        spool_.acknowledge(*offset);
        if (frame.type == FrameType::Ack) return state_ == State::Open;
        sent_ = *offset;
        state_ = State::Open;
        refusedSince_.reset();
        return true;
    }
    case FrameType::Command: {
        const auto command = decode<Command>(frame.body);
        if (!command) return false;
        ++commandsTaken_;
        commands_.push_back(*command);
        return true;
    }
    case FrameType::Fault: {
        const auto kind = decode<InjectedFaultKind>(frame.body);
        if (!kind || (*kind != InjectedFaultKind::Kill && *kind != InjectedFaultKind::Hang)) return false;
        fault_ = *kind;
        return true;
    }
    case FrameType::Clock: {
        const auto line = decode<ClockLine>(frame.body);
        if (line) clock_ = *line;
        return line.has_value();
    }
    default: return false;
    }
}

bool RankLink::sendSpool() {
    while (state_ == State::Open && link_->queued() == 0 && sent_ < spool_.end()) {
        const Result<Bytes> bytes = spool_.read(sent_, sendAtOnce);
        if (!bytes) return true;  // the disk does not read now: tried again at the next advance()
        sent_ += bytes->size();
        link_->sendRaw(*bytes);
        if (!link_->flush()) return false;
    }
    return true;
}

}  // namespace shardlab::trace
