// SPDX-License-Identifier: Apache-2.0
// What mpirun says about the end of a job, as a report and a run's log have it.
#pragma once

#include "engine/launch/job/mpirun_report.h"
#include "tests/support/wings.h"

#include <QProcess>

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

/// Whether the log tells that a rank on `host` was killed. The mpirun of Open MPI 5 takes so long to tell how a rank
/// ended that the launcher may be first, for which it has died.
inline bool tellsOfAKilledRank(const std::string& log, const std::string& host) {
    if (log.find("on host " + host + " was killed by SIGKILL") != std::string::npos) return true;
    QProcess mpirun;
    mpirun.start("mpirun", {"--version"});
    return mpirun.waitForFinished() && !mpirun.readAllStandardOutput().contains("(Open MPI) 4") &&
           log.find("on host " + host + " died") != std::string::npos;
}

}  // namespace shardlab::test
