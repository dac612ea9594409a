// SPDX-License-Identifier: Apache-2.0
// How Open MPI's mpirun is called: its arguments and environment as lists, never a shell string.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/job/process.h"

#include <filesystem>
#include <string>
#include <vector>

namespace shardlab {

/// Ranks of one host of several.
struct MpirunHost {
    std::string name;
    int ranks = 1;
    int threads = 1;  ///< compute threads of each
    std::vector<std::string> rankArguments;
    bool oversubscribed = false;  ///< more ranks than cores
};

struct MpirunOptions {
    int ranks = 1;
    int cores = 1;      ///< of this host
    int threads = 1;    ///< compute threads of each rank
    bool root = false;  ///< started by root, which Open MPI refuses unless told twice
    std::filesystem::path rankProgram;
    std::vector<std::string> rankArguments;
    std::filesystem::path temporary;     ///< Open MPI's session files lie here; swept with the job
    std::filesystem::path sharedMemory;  ///< its shared-memory segments; empty: where Open MPI puts them
    /// Several hosts, in the mesh's order; then `ranks`, `threads` and `rankArguments` above say nothing. Empty: this
    /// one.
    std::vector<MpirunHost> hosts;
    std::filesystem::path agent;  ///< Agent::script()
    std::string network;          ///< layout's /cluster/network
};

/// Cores this process may use.
int usableCores();
/// Error: not in PATH, with the package that brings it.
Result<std::filesystem::path> findMpirun();
/// Of several hosts, each has its ranks' arguments in its own part of the command line.
ProcessSpec mpirunCommand(const std::filesystem::path& mpirun, const MpirunOptions& options);

}  // namespace shardlab
