// SPDX-License-Identifier: Apache-2.0
// The processes of a job are found by the job's folder on their command line: that name is unique, while process ids
// are used again.
#pragma once

#include "engine/base/wings.h"

#include <chrono>
#include <filesystem>
#include <vector>

namespace shardlab::launch {

/// This user's processes (never this one) with the arguments `--folder FOLDER`, or a folder in it: mpirun and the ranks
/// it started.
std::vector<int> processesOfJob(const std::filesystem::path& folder);
/// Open MPI's daemons on hosts other than the launcher's, whose session files lie in `folder`, and what is about to
/// start one: a shell there, an agent here.
std::vector<int> daemonsOfJob(const std::filesystem::path& folder);
/// Whether a signal (SIGSTOP and the like) has stopped the process.
bool isStopped(int process);
/// Sends SIGKILL to each.
void killProcesses(const std::vector<int>& processes);
/// Sends SIGKILL to the processes and daemons of the job until none is left, or `patience` has passed. `ranks` is the
/// folder of the ranks' files, `sessions` that of Open MPI's. Returns how many there were at once.
int killJob(const std::filesystem::path& ranks, const std::filesystem::path& sessions,
            std::chrono::nanoseconds patience);

/// Remembers which processes a signal has stopped, so that each is told once.
class StoppedProcesses {
public:
    /// The processes among `processes` that are stopped, and were not at the last look.
    std::vector<int> look(std::vector<int> processes);

private:
    std::vector<int> known_;
};

}  // namespace shardlab::launch
