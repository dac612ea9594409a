// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/mpirun.h"

#include <algorithm>
#include <thread>

namespace shardlab {

int usableCores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

Result<std::filesystem::path> findMpirun() {
    if (auto found = findInPath("mpirun")) return *found;
    return fail(Error{"mpirun is missing", "PATH", "ranks are started by Open MPI",
                      "install it: apt-get install openmpi-bin"});
}

ProcessSpec mpirunCommand(const std::filesystem::path& mpirun, const MpirunOptions& options) {
    ProcessSpec spec;
    spec.program = mpirun;
    const bool oversubscribed = options.ranks > options.cores;
    // Slots are named, so that Open MPI does not count cores to judge what check() has judged already.
    spec.arguments = {"-n", std::to_string(options.ranks), "--host", "localhost:" + std::to_string(options.ranks),
                      "--bind-to", "none", "--tag-output"};
    const auto parameter = [&](const char* name, const std::string& value) {
        spec.arguments.insert(spec.arguments.end(), {"--mca", name, value});
    };
    parameter("pml", "ob1");
    parameter("btl", "self,vader");
    // Copying through the other process's memory needs a right that containers withhold; shared pages do not.
    parameter("btl_vader_single_copy_mechanism", "none");
    parameter("odls_base_sigkill_timeout", "0");
    parameter("orte_tmpdir_base", options.temporary.string());
    if (!options.sharedMemory.empty()) parameter("btl_vader_backing_directory", options.sharedMemory.string());
    if (oversubscribed) parameter("mpi_yield_when_idle", "1");
    spec.arguments.push_back(options.rankProgram.string());
    spec.arguments.insert(spec.arguments.end(), options.rankArguments.begin(), options.rankArguments.end());

    if (options.root) {
        spec.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
        spec.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    spec.environment.emplace_back("OMP_NUM_THREADS", std::to_string(options.threads));
    // A team that spins at its barriers while somebody else has the core makes a step forty times as long.
    spec.environment.emplace_back("OMP_WAIT_POLICY", "passive");
    // One that sleeps at each of a step's hundreds of short products takes three times as long: so spin, briefly.
    spec.environment.emplace_back("GOMP_SPINCOUNT", "10000");
    return spec;
}

}  // namespace shardlab
