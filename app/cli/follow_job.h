// SPDX-License-Identifier: Apache-2.0
// A job under the eyes of a terminal: its progress, and what Ctrl+C does to it.
#pragma once

#include "app/cli/run_progress.h"
#include "engine/launch/job.h"

#include <csignal>

namespace shardlab::cli {

/// SIGINT, SIGTERM and SIGHUP wait until somebody asks for them; blocked in every thread made afterwards, so made
/// before the job.
class EndSignals {
public:
    EndSignals();
    /// Waits at most 100 ms; true where one came.
    bool came() const;

private:
    sigset_t set_{};
};

/// Until the job's end. The first signal stops it at the next step boundary, the second kills.
void follow(Job& job, const EndSignals& signals, RunProgress& progress);

}  // namespace shardlab::cli
