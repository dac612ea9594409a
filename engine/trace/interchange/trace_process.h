// SPDX-License-Identifier: Apache-2.0
// How other programs number and name the ranks of a run: each is a process, and so is what was predicted of it.
#pragma once

#include "engine/trace/run_file/run_file.h"

#include <string>

namespace shardlab::trace {

inline constexpr int predictedProcesses = 100000;  ///< a predicted rank's process number begins here

inline int traceProcess(int rank, bool predicted) { return rank + (predicted ? predictedProcesses : 0); }

inline std::string processTitle(const RunReader& run, int rank, bool predicted) {
    if (rank < 0) return "launcher";
    std::string title = (predicted ? "predicted rank " : "rank ") + std::to_string(rank);
    for (const RankRecord& record : run.ranks())
        if (record.rank == rank && !record.label.empty()) title += " (" + record.label + ")";
    return title;
}

}  // namespace shardlab::trace
