// SPDX-License-Identifier: Apache-2.0
// One start of a job's ranks: what is known of it from mpirun's start until its last process is gone. A run that is
// restarted or resized has several, and forgets each when the next begins. Times are nanoseconds of the run's clock.
#pragma once

#include "engine/launch/job/late_start.h"
#include "engine/launch/job/mpirun_report.h"
#include "engine/launch/job/rank_ends.h"
#include "engine/launch/job/watchdog.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::launch {

/// When mpirun is asked to end, and when it is killed because it has not.
struct AttemptEnd {
    enum class Cause : std::uint8_t { Failure, Request };

    std::optional<std::int64_t> due;  ///< mpirun is asked to end then
    const char* why = "";
    Cause cause = Cause::Failure;
    std::optional<std::int64_t> begun;    ///< mpirun was asked to end, or killed
    std::optional<std::int64_t> killDue;  ///< all processes are killed then

    /// The earliest of several deadlines counts.
    void by(std::int64_t time, const char* reason, Cause of) {
        if (due && *due <= time) return;
        due = time;
        why = reason;
        cause = of;
    }
    bool requested() const { return due && cause == Cause::Request; }
};

struct JobAttempt {
    explicit JobAttempt(const WatchdogSetup& watch)
        : fates(static_cast<std::size_t>(watch.mesh.ranks())), names(fates.size()), watchdog(watch) {}

    std::vector<RankFate> fates;                                ///< by rank
    std::vector<std::map<std::uint32_t, std::uint32_t>> names;  ///< by rank: the run's number of each of its own
    LateStart lateStart;
    Watchdog watchdog;
    MpirunReport report;
    std::optional<HungRank> hung;
    std::string cutOff;    ///< a host that is given up, in words
    bool stepped = false;  ///< some rank ended a step
    bool stuck = false;    ///< mpirun has started no rank
    AttemptEnd end;
};

}  // namespace shardlab::launch
