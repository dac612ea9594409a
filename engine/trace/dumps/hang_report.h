// SPDX-License-Identifier: Apache-2.0
// The flight recorder's dumps of a job's ranks held against one another: at which collective of which group each rank
// is, who has not come there, and who so keeps the others waiting.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/dumps/flight_dump.h"

#include <span>
#include <string>
#include <vector>

namespace shardlab::trace {

/// Ranks that came alike far in what a group waits for.
struct HangSide {
    enum class Where : std::uint8_t {
        Started,    ///< on the device, waiting for the others
        Scheduled,  ///< asked for, not started or not timed
        Completed,  ///< over on these ranks
        Missing,    ///< not asked for
        NoDump,     ///< members of the group of whom no dump was given
    };
    Where where = Where::Missing;
    std::vector<int> ranks;  ///< world ranks, ascending
    Sentence call;           ///< what they do where it is not what most do; of the missing, what they did last
    std::string place;       ///< where in the program
};

/// The first collective of a group that a rank asked for and has not completed.
struct GroupHang {
    std::string group;  ///< "0 (default_pg)"
    std::vector<int> members;
    Sentence call;             ///< "all_reduce 57 of Float[1024]", as the most ranks ask for it
    std::int64_t created = 0;  ///< when the first rank asked for it, Unix time in nanoseconds; 0: not told
    bool mismatch = false;     ///< ranks ask for different things under the same number
    std::vector<HangSide> sides;
};

/// A message that its rank waits for.
struct MessageHang {
    int rank = 0;
    std::string group;
    Sentence call;  ///< "send 0->1 of Float[4]"
    std::string place;
    int peer = -1;        ///< world rank; -1: unknown
    Sentence peerStands;  ///< "rank 1 has not asked for it"
};

struct QuietGroup {
    std::string group;
    std::vector<int> members;
    std::string last;  ///< "all_gather 12"
};

struct HangReport {
    std::vector<int> ranks;  ///< with a dump
    std::size_t calls = 0;
    std::string version;
    std::vector<GroupHang> groups;      ///< that wait, the longest first
    std::vector<MessageHang> messages;  ///< by rank
    std::vector<QuietGroup> quiet;      ///< groups whose collectives are all completed
    std::vector<int> blamed;            ///< that others wait for and that wait for nobody themselves
    bool hangs() const { return !groups.empty() || !messages.empty(); }
    /// The conclusion in one sentence, then a paragraph a group, with an empty line before it.
    std::vector<Sentence> lines() const;
    /// These lines in English; for a terminal.
    std::string text() const;
};

/// Errors: no dump, two dumps of one rank, dumps of different formats.
Result<HangReport> reportHang(std::span<const FlightDump> dumps);

}  // namespace shardlab::trace
