// SPDX-License-Identifier: Apache-2.0
// A job that is followed in a terminal: its progress, and what Ctrl+C does to it.
#pragma once

#include "app/cli/run_progress.h"
#include "engine/launch/job/job.h"

#include <csignal>

namespace shardlab::cli {

/// SIGINT, SIGTERM, SIGHUP and SIGUSR1 wait until somebody asks for them. Threads that are made afterwards block them
/// too, so this is made before the job. SIGHUP stays ignored where it was ignored at the start, as under nohup.
class JobSignals {
public:
    JobSignals();
    /// The next signal; waits at most 100 ms for it; 0: none came.
    int next() const;

private:
    sigset_t set_{};
};

/// Returns at the job's end. SIGUSR1 takes a checkpoint; the first of the other signals stops the job at the next step
/// boundary, the second kills it, unless that is SIGHUP.
void follow(Job& job, const JobSignals& signals, RunProgress& progress);

}  // namespace shardlab::cli
