// SPDX-License-Identifier: Apache-2.0
// Turns a person's commands into decisions that all ranks carry out at the next step boundary.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/trace/event/event.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <vector>

namespace shardlab::train {

enum class Decision : std::uint8_t { Run, Pause, Stop, Checkpoint };

/// How long a paused rank sleeps between two looks for a command.
inline constexpr std::chrono::milliseconds pausedPoll{5};

/// Makes one decision for each step boundary from the commands, on rank 0.
class RunControl {
public:
    /// `take` returns the oldest command not yet taken, or None; it may be empty, where nobody commands.
    explicit RunControl(std::function<Command()> take) : take_(std::move(take)) {}

    /// Takes all commands there are. The result Run uses up one of the single steps that were asked for.
    Decision next();

private:
    std::function<Command()> take_;
    bool paused_ = false;
    bool stopped_ = false;
    bool checkpoint_ = false;
    int singleSteps_ = 0;
};

/// Every rank calls it at a step boundary, and all get the same result: Run, Stop, or Checkpoint, after which each
/// takes a checkpoint and calls again. While paused nobody keeps a core busy: rank 0 looks for commands, the others
/// wait for its decision. `paused` is called once on every rank where the run is paused.
Decision agree(Communicator& world, RunControl& control, const std::function<void()>& paused);

/// Decisions for runs in which nobody may wait at a step boundary, since ranks come to it at different times: rank 0
/// announces its decision `ahead` boundaries earlier, so a command is obeyed that many steps later. Boundaries without
/// an announcement, and those at which the run does not simply go on, are agreed on by agree().
class EarlyDecisions {
public:
    /// Where `ahead` is 0, every boundary is agreed on.
    EarlyDecisions(Communicator& world, RunControl& control, int ahead)
        : world_(world), control_(control), ahead_(static_cast<std::size_t>(ahead)) {}

    /// Every rank calls it at each boundary.
    Decision next(const std::function<void()>& paused);
    /// To be called once after the last boundary: waits for the announcements that are on their way.
    void finish();
    /// Whether the ranks waited for each other at the last boundary.
    bool met() const { return met_; }

private:
    struct Announcement {
        Decision decision = Decision::Run;
        std::vector<RequestPtr> messages;
    };
    void announce();
    Decision take();

    Communicator& world_;
    RunControl& control_;
    std::size_t ahead_;
    bool met_ = true;
    std::list<Announcement> coming_;  ///< for the boundaries to come
    std::list<Announcement> taken_;   ///< rank 0: announcements that it has taken itself, the others perhaps not yet
};

}  // namespace shardlab::train
