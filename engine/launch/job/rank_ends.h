// SPDX-License-Identifier: Apache-2.0
// Why each rank and the run as a whole ended, from all that is known when the last process is gone.
#pragma once

#include "engine/launch/job/mpirun_report.h"
#include "engine/launch/job/process.h"
#include "engine/trace/record/status_page.h"
#include "engine/trace/run_file/run_file.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardlab::launch {

struct RankFate {
    bool joined = false;                 ///< it reached the collector
    std::optional<std::int64_t> lostAt;  ///< run clock, nanoseconds: its link closed without a goodbye
    std::optional<std::string> goodbye;  ///< its own last word: "finished", "stopped", or an error
    std::optional<RankStatus> status;    ///< what it was doing last
};

/// The rank for which the watchdog ended the run.
struct HungRank {
    int rank = -1;
    std::string report;
};

struct JobFate {
    ExitStatus mpirun;
    MpirunReport report;
    bool killRequested = false;        ///< a person asked, or closed the launcher: all ranks were killed
    std::optional<Error> recordError;  ///< the run file could not be written
    std::optional<HungRank> hung;
    std::string cutOff;              ///< says which host was given up; empty: none was
    std::vector<std::string> hosts;  ///< each rank's, where there are several
    bool stuck = false;              ///< mpirun was ended as it had started no rank in a long time
    /// Run clock, nanoseconds: when the launcher itself asked mpirun to end, for whatever reason; none: it did not.
    std::optional<std::int64_t> endedAt;
};

struct Verdict {
    std::vector<std::string> ranks;  ///< RankRecord::end of each rank
    RunEnd run;
    int rank = -1;  ///< the rank that made the run fail; -1: there is none, or it is not known
};

/// "at step 12 in 1F3", "at step 12 in 1RECV_F3, waiting for rank 0", "during setup"; empty where nothing is known.
std::string whereabouts(const std::optional<RankStatus>& status);
Verdict judge(std::span<const RankFate> ranks, const JobFate& job);

}  // namespace shardlab::launch
