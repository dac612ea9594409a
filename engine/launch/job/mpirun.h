// SPDX-License-Identifier: Apache-2.0
// How Open MPI's mpirun is called: its arguments and environment as lists, never a shell string.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/hosts/fabrics.h"
#include "engine/launch/job/mpirun_extras.h"
#include "engine/launch/job/process.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace shardlab::launch {

/// Where session files lie, as Open MPI 4 and 5 call it; each passes over the other's name, and hands its own to
/// daemons.
constexpr std::array<const char*, 2> sessionFolderParameters{"orte_tmpdir_base", "prte_tmpdir_base"};

/// What a run of several hosts says for one of them.
struct MpirunHost {
    std::string name;
    int ranks = 1;
    int threads = 1;  ///< compute threads of each rank
    std::vector<std::string> rankArguments;
    bool oversubscribed = false;  ///< more ranks than cores
};

struct MpirunOptions {
    int ranks = 1;
    int cores = 1;      ///< this host's
    int threads = 1;    ///< compute threads of each rank
    bool root = false;  ///< started by root, which Open MPI refuses unless told twice
    std::filesystem::path rankProgram;
    std::vector<std::string> rankArguments;
    std::filesystem::path temporary;  ///< Open MPI's session files lie here; swept with the job
    /// Open MPI's shared-memory segments lie here; empty: where it puts them by itself.
    std::filesystem::path sharedMemory;
    /// Several hosts in the mesh's order, which make `ranks`, `threads` and `rankArguments` above mean nothing. Empty:
    /// all ranks are on this host.
    std::vector<MpirunHost> hosts;
    std::filesystem::path agent;  ///< Agent::script()
    bool privateNetwork = false;  ///< where all ranks are on this host: nobody outside can reach them
    std::string network;          ///< the layout's /cluster/network
    /// What all hosts have besides TCP, where there are several: Open MPI then chooses how ranks exchange.
    Fabrics fabrics;
    MpirunExtras extras;
};

/// Cores this process may use.
int usableCores();
/// Error: mpirun is not in PATH; the error names the package that brings it.
Result<std::filesystem::path> findMpirun();
/// What ranks on this host could use: the host has a device for it that is up, and its Open MPI was built with it,
/// which `ompi_info` in PATH tells. `system`: where the kernel tells of devices.
Fabrics fabricsHere(const std::filesystem::path& system = "/sys");
/// Where there are several hosts, each has its ranks' arguments in its own part of the command line.
ProcessSpec mpirunCommand(const std::filesystem::path& mpirun, const MpirunOptions& options);

}  // namespace shardlab::launch
