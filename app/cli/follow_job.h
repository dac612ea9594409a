// SPDX-License-Identifier: Apache-2.0
// A job under the eyes of a terminal: its progress, and what Ctrl+C does to it.
#pragma once

#include "app/cli/run_progress.h"
#include "engine/launch/job/job.h"

#include <csignal>

namespace shardlab::cli {

/// SIGINT, SIGTERM, SIGHUP and SIGUSR1 wait until somebody asks for them; blocked in every thread made afterwards, so
/// made before the job. SIGHUP is ignored where it was at the start, as nohup has it.
class JobSignals {
public:
    JobSignals();
    /// Waits at most 100 ms; 0 where none came.
    int next() const;

private:
    sigset_t set_{};
};

/// Until the job's end. SIGUSR1 takes a checkpoint; of the others the first stops it at the next step boundary, the
/// second kills, unless it is SIGHUP.
void follow(Job& job, const JobSignals& signals, RunProgress& progress);

}  // namespace shardlab::cli
