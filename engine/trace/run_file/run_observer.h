// SPDX-License-Identifier: Apache-2.0
// What a run tells while it goes on, in one set of words: whoever shows, copies or summarises a run hears the same
// calls, whether its ranks run here, it is watched from another machine, or its file is followed.
#pragma once

#include "engine/trace/run_file/run_file.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace shardlab::trace {

enum class RunState : std::uint8_t { Starting, Running, Paused, Stopping, Restarting, Ended };
std::string_view name(RunState state);

/// Calls come from a thread of the run's, one at a time, in the order in which things happen.
class RunObserver {
public:
    virtual ~RunObserver() = default;
    virtual void begun(const RunHeader&) {}                   ///< the first call
    virtual void predictedArrived(std::span<const Event>) {}  ///< predicted events come before measured ones
    /// A run that is followed from its file names the restarts that are known, before the events that came after them;
    /// the same restarts arrive as events of the run as well.
    virtual void restartsKnown(std::span<const Event>) {}
    virtual void eventsArrived(std::span<const Event>) {}  ///< each lane's events, counters and metrics in their order
    virtual void logged(const LogLine&) {}
    virtual void rankChanged(const RankRecord&) {}              ///< a rank has joined or ended
    virtual void clocksMeasured(std::span<const HostClock>) {}  ///< all clocks; they replace what was told before
    virtual void named(std::uint32_t /*number*/, const std::string& /*text*/) {}
    virtual void stateChanged(RunState) {}
    /// The run's last call. The outcome is empty where whoever recorded the run was killed.
    virtual void ended(const RunEnd&) {}
};

}  // namespace shardlab::trace
