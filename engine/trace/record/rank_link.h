// SPDX-License-Identifier: Apache-2.0
// A rank's side of the link to the collector: connects, shows the token, sends the spool from where the collector has
// it, takes acknowledgements and commands; connects again when the link breaks. Used by one thread; never blocks.
#pragma once

#include "engine/layout/injected_fault.h"
#include "engine/trace/record/frame_link.h"
#include "engine/trace/record/spool.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::trace {

struct RankLinkOptions {
    int rank = 0;
    std::string socket;
    std::string token;
    std::int64_t giveUpAfter = 3'000'000'000;  ///< nanoseconds of refusal without a welcome between
};

class RankLink {
public:
    RankLink(RankLinkOptions options, Spool& spool) : options_(std::move(options)), spool_(spool) {}

    /// Does what can be done now. `now`: monotonicNanoseconds().
    void advance(std::int64_t now);
    /// Commands that have arrived, oldest first; each once.
    std::vector<Command> takeCommands() { return std::exchange(commands_, {}); }

    /// What the rank is to do to itself, once.
    std::optional<InjectedFaultKind> takeFault() { return std::exchange(fault_, std::nullopt); }
    /// The newest comparison of clocks, once.
    std::optional<ClockLine> takeClock() { return std::exchange(clock_, std::nullopt); }

    bool welcomed() const { return state_ == State::Open; }
    /// Refused, closed or gone for giveUpAfter: no further attempt is made.
    bool orphaned() const { return state_ == State::Orphaned; }
    const std::string& refusal() const { return refusal_; }
    std::uint64_t acknowledged() const { return acknowledged_; }
    /// For poll(2): -1 where there is no connection.
    int descriptor() const { return link_ ? link_->descriptor() : -1; }
    bool wantsToSend() const { return link_ && link_->queued() > 0; }

private:
    enum class State : std::uint8_t { Down, Greeting, Open, Orphaned };

    void connect(std::int64_t now);
    void refused(std::int64_t now, std::string why);
    bool receive();
    bool take(const Frame& frame);
    bool sendSpool();

    RankLinkOptions options_;
    Spool& spool_;
    State state_ = State::Down;
    std::optional<FrameLink> link_;
    std::optional<std::int64_t> refusedSince_;
    std::int64_t nextAttempt_ = 0;
    std::int64_t connectedAt_ = 0;
    std::string refusal_;
    std::uint64_t sent_ = 0;
    std::uint64_t acknowledged_ = 0;
    std::uint32_t commandsTaken_ = 0;
    std::vector<Command> commands_;
    std::optional<ClockLine> clock_;
    std::optional<InjectedFaultKind> fault_;
};

}  // namespace shardlab::trace
