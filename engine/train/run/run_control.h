// SPDX-License-Identifier: Apache-2.0
// What a person asked of the run, turned into what all ranks do at the next step boundary.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/trace/event/event.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <vector>

namespace shardlab {

enum class Decision : std::uint8_t { Run, Pause, Stop, Checkpoint };

/// How long a paused rank sleeps between two looks for a command.
inline constexpr std::chrono::milliseconds pausedPoll{5};

/// Rank 0's side: commands in, one decision for each step boundary out.
class RunControl {
public:
    /// `take` returns the oldest command not yet taken, or None; may be empty: nobody commands.
    explicit RunControl(std::function<Command()> take) : take_(std::move(take)) {}

    /// Takes all commands there are. Run uses up one step of those asked for one by one.
    Decision next();

private:
    std::function<Command()> take_;
    bool paused_ = false;
    bool stopped_ = false;
    bool checkpoint_ = false;
    int singleSteps_ = 0;
};

/// Every rank calls it at a step boundary; all get the same answer, Run, Stop, or Checkpoint: then take one and ask
/// again. While paused nobody keeps a core busy: rank 0 looks for commands, the others wait for its word. `paused` is
/// called once, on every rank, where it comes to that.
Decision agree(Communicator& world, RunControl& control, const std::function<void()>& paused);

/// The same where nobody may wait at a step's border, as ranks come to it at different times: rank 0 gives its word
/// for a border `ahead` borders before, so a command is obeyed that many steps later. Borders for which no word was
/// given yet, and those at which the run does not simply go on, are agreed on as above.
class Foresight {
public:
    /// `ahead` 0: every border is agreed on.
    Foresight(Communicator& world, RunControl& control, int ahead)
        : world_(world), control_(control), ahead_(static_cast<std::size_t>(ahead)) {}

    /// Every rank calls it at each border.
    Decision next(const std::function<void()>& paused);
    /// Once, after the last border: no word is left on its way.
    void finish();
    /// Whether the ranks waited for each other at the last border.
    bool met() const { return met_; }

private:
    struct Word {
        Decision decision = Decision::Run;
        std::vector<RequestPtr> messages;
    };
    void give();
    Decision take();

    Communicator& world_;
    RunControl& control_;
    std::size_t ahead_;
    bool met_ = true;
    std::list<Word> words_;  ///< of the borders to come
    std::list<Word> told_;   ///< rank 0: taken by itself, perhaps not yet by others
};

}  // namespace shardlab
