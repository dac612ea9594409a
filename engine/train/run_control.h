// SPDX-License-Identifier: Apache-2.0
// What a person asked of the run, turned into what all ranks do at the next step boundary.
#pragma once

#include "engine/comm/communicator.h"
#include "engine/trace/event.h"

#include <cstdint>
#include <functional>

namespace shardlab {

enum class Decision : std::uint8_t { Run, Pause, Stop, Checkpoint };

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

/// Every rank calls it at a step boundary; all get the same answer, Run, Stop, or Checkpoint: then take one and ask again. While paused nobody keeps a core busy:
/// rank 0 looks for commands, the others wait for its word. `paused` is called once, on every rank, where it comes to that.
Decision agree(Communicator& world, RunControl& control, const std::function<void()>& paused);

}  // namespace shardlab
