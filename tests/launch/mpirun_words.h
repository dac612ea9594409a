// SPDX-License-Identifier: Apache-2.0
// What mpirun says about the end of a job, as a report has read it.
#pragma once

#include "engine/launch/job/mpirun_report.h"
#include "tests/support/wings.h"

#include <sstream>
#include <string>

namespace shardlab::test {

/// All lines of `text`, which mpirun printed.
inline MpirunReport reportOf(const char* text) {
    MpirunReport report;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) report.read(line);
    return report;
}

/// A rank was killed.
inline constexpr const char* killedText =
    "--------------------------------------------------------------------------\n"
    "Primary job  terminated normally, but 1 process returned\n"
    "a non-zero exit code. Per user-direction, the job has been aborted.\n"
    "--------------------------------------------------------------------------\n"
    "--------------------------------------------------------------------------\n"
    "mpirun noticed that process rank 1 with PID 0 on node pc exited on signal 9 (Killed).\n"
    "--------------------------------------------------------------------------\n";

}  // namespace shardlab::test
