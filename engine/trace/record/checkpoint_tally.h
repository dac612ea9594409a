// SPDX-License-Identifier: Apache-2.0
// What a run's log says of each checkpoint that was tried, and what these lines come to at its end.
#pragma once

#include "engine/trace/event/event.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace shardlab::trace {

/// Rank 0 logs one of these of each checkpoint: "checkpoint of step 20: 1.2 MiB in 3.1 ms: …" as information, or as a
/// warning "no checkpoint of step 20: cannot write …". `step`: steps done.
std::string tookCheckpoint(std::int64_t step, const std::string& how);
std::string noCheckpoint(std::int64_t step, const std::string& why);

/// What the launcher logs of a run that goes on from a checkpoint: "goes on from step 20: /runs/a.checkpoints/…".
std::string goesOnFrom(std::int64_t step, const std::string& checkpoint);

/// Where a run goes on from.
struct RunOrigin {
    std::int64_t step = 0;   ///< steps done before it
    std::string checkpoint;  ///< its folder
};
/// Where a run with this log goes on from; none where it begins anew.
std::optional<RunOrigin> originOf(std::span<const LogLine> log);

struct CheckpointTally {
    int taken = 0;
    int failed = 0;
    std::int64_t newest = 0;      ///< steps done at the newest that was taken
    std::int64_t lastFailed = 0;  ///< steps done at the last that failed
    std::string why;              ///< it failed

    /// A line of the run's log, whatever it tells of.
    void add(const LogLine& line);
    /// Checkpoints were asked for, and there is none.
    bool none() const { return failed > 0 && taken == 0; }
    /// How many failed, why the last of them, and which is the newest; empty where none failed.
    std::string text() const;
};

}  // namespace shardlab::trace
