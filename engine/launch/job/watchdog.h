// SPDX-License-Identifier: Apache-2.0
// Tells a run that hangs from one that takes its time. A rank has a deadline for what it is doing:
//
//   within and between steps   the one given, or ten times the longest step seen or predicted, at least 30 s
//   until a step is over       the one given, or thirty times the predicted step, at least 60 s: libraries are loaded
//                              from disk and kernels are chosen in the first step
//   setup, a checkpoint        the same, and at least 5 and 15 minutes
//   paused, finished           none; one that does not run any more is found once others go on after the pause
//
// A rank that works by itself is judged by its own time, a process that does not run at all (its page's pulse stands
// still) too; ranks that wait for others only once no rank gets on any more, so that nobody is judged for another's
// long validation.
#pragma once

#include "engine/launch/job/wait_graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::launch {

struct Hang {
    enum class Cause : std::uint8_t { Frozen, Missing, Busy, Circle };
    struct Wait {
        int rank = -1;
        RankStatus status;
        std::vector<int> forRanks;  ///< empty: it waits for nobody
    };
    Cause cause = Cause::Circle;
    int rank = -1;               ///< the rank that keeps the others waiting
    double seconds = 0;          ///< for how long
    double deadline = 0;         ///< seconds
    WaitGraph::Missing missing;  ///< where cause is Missing
    std::vector<Wait> ranks;     ///< every rank, at the moment of the judgement

    const RankStatus& status() const { return ranks[static_cast<std::size_t>(rank)].status; }
};

/// What else is known of the rank that hangs.
struct HangEvidence {
    bool stopped = false;  ///< the kernel says that a signal stopped it
    bool sent = false;     ///< its flight record has the message that is missing
};

/// What one rank does, or whom it waits for: "waits at step 12 in 0RECV_B2 for rank 1".
std::string toText(const Hang::Wait& wait);
/// "rank 1 stands still (stopped by a signal) at step 12 in 1F3, for 5.0 s (deadline 5.0 s); rank 0 waits at step 12 in
/// 0RECV_B2 for rank 1". At most eight waiting ranks are named.
std::string toText(const Hang& hang, const HangEvidence& evidence);

struct WatchdogSetup {
    Mesh mesh;
    Schedule lowered;
    int deadline = 0;          ///< seconds; 0: from the steps' duration
    double predictedStep = 0;  ///< seconds, stretched
    bool measures = false;     ///< ranks measure before they train: starting has no deadline
};

class Watchdog {
public:
    explicit Watchdog(WatchdogSetup setup);

    /// Takes note of how long a step took.
    void measured(double seconds);
    /// Takes note of what the rank is doing; a rank of which nothing is known yet is said to be starting.
    void see(int rank, const RankStatus& status);
    /// The rank said goodbye: it is not watched any more.
    void ended(int rank);
    /// Called after each round of see(), several times a second; `now` in nanoseconds. Time in which this was not
    /// called, as when everything was suspended, does not count.
    std::optional<Hang> judge(std::int64_t now);

    /// Seconds; infinite where there is none.
    double deadline(RankPhase phase) const;

private:
    struct Seen {
        RankStatus status;
        bool ended = false;
        bool moved = false;
        bool beating = false;
        double quiet = 0;   ///< seconds since its status changed
        double frozen = 0;  ///< seconds since its pulse did
    };
    std::optional<Hang> find() const;
    Hang hang(Hang::Cause cause, int rank, double seconds, double deadline) const;

    WatchdogSetup setup_;
    std::vector<Seen> ranks_;
    double longestStep_ = 0;
    double quiet_ = 0;  ///< seconds in which no rank's status changed
    std::int64_t judgedAt_ = 0;
};

}  // namespace shardlab::launch
