// SPDX-License-Identifier: Apache-2.0
// What PyTorch's flight recorder dumps of one rank when a job hangs: the last collectives and messages that the rank
// asked for, of each process group, and how far each came.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace shardlab::trace {

/// A collective, or a message between two ranks, that a rank asked for.
struct DumpedCall {
    enum class State : std::uint8_t { Scheduled, Started, Completed };
    std::string group;         ///< its name among FlightDump::groups
    std::string operation;     ///< "all_reduce", "send 0->1"
    std::int64_t number = 0;   ///< collectives of a group are counted alike on all its ranks; messages on each rank
    std::int64_t created = 0;  ///< Unix time in nanoseconds; 0: not told
    bool message = false;      ///< between two ranks
    State state = State::Scheduled;
    std::string shapes;  ///< of what goes in: "Float[4, 8]"; several with "; " between
    std::string place;   ///< where the program asked for it: "train.py:41 in step"; empty: not told
};

struct DumpedGroup {
    std::string description;  ///< "tp"; empty: none was given
    std::vector<int> ranks;   ///< world ranks, ascending; empty: the dump does not tell
};

struct FlightDump {
    int rank = 0;
    std::string version;                        ///< of the dump's format
    std::map<std::string, DumpedGroup> groups;  ///< by name
    std::vector<DumpedCall> calls;              ///< as they were asked for, the oldest of them overwritten
};

/// By the file's first bytes: a pickle that is no memory snapshot, or JSON with the recorder's keys. False too where it
/// cannot be read.
bool isFlightDump(const std::filesystem::path& file);

/// A pickle or the JSON form, of format 2, also packed with gzip; the rank is the number that the file's name ends with
/// ("nccl_trace_rank_3", "dump-3.json"). Errors: it cannot be read, is larger than 64 MiB, is no such dump, is of
/// another format, or its name tells no rank.
Result<FlightDump> readFlightDump(const std::filesystem::path& file);

}  // namespace shardlab::trace
