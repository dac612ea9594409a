// SPDX-License-Identifier: Apache-2.0
// How other programs number and name the ranks of a run: each is a process, and so is what was predicted of it. A lane
// is a thread of it, or several where spans overlap (lane_rows.h).
#pragma once

#include "engine/trace/run_file/run_file.h"

#include <string>

namespace shardlab::trace {

inline constexpr int predictedProcesses = 100000;  ///< a predicted rank's process number begins here

inline int traceProcess(int rank, EventSource source) {
    return rank + (source == EventSource::Predicted ? predictedProcesses : 0);
}

inline std::string processTitle(const RunReader& run, int rank, EventSource source) {
    if (rank < 0) return "launcher";
    std::string title = (source == EventSource::Predicted ? "predicted rank " : "rank ") + std::to_string(rank);
    for (const RankRecord& record : run.ranks())
        if (record.rank == rank && !record.label.empty()) title += " (" + record.label + ")";
    return title;
}

/// "comm", "comm 2" …; `row` counts from 0.
inline std::string laneTitle(Lane lane, int row) {
    return std::string(name(lane)) + (row > 0 ? " " + std::to_string(row + 1) : "");
}
/// Where the row stands among those of its process.
inline int laneOrder(Lane lane, int row) { return static_cast<int>(lane) * 1000 + row; }

}  // namespace shardlab::trace
