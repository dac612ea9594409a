// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/mpirun.h"

#include "engine/launch/job/forwarder_setup.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

namespace shardlab::launch {

int usableCores() {
    // How tests make hosts of one core out of namespaces that share this machine's.
    if (const char* said = std::getenv("SHARDLAB_TEST_CORES")) return std::max(1, std::atoi(said));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Result<std::filesystem::path> findMpirun() {
    if (auto found = findInPath("mpirun")) return *found;
    return fail(Error{say("mpirun is missing"), "PATH", say("ranks are started by Open MPI"),
                      say("install it: apt-get install openmpi-bin")});
}

Fabrics fabricsHere(const std::filesystem::path& system) {
    const Fabrics devices = devicesIn(system);
    const auto program = devices.any() ? findInPath("ompi_info") : std::nullopt;
    if (!program) return {};
    return common(devices, builtWith(linesOf({*program, {"--parsable"}}, std::chrono::seconds(10))));
}

namespace {

using Arguments = std::vector<std::string>;

/// The user's own parameters take the places of those that are added here.
class Parameters {
public:
    Parameters(Arguments& arguments, const MpirunExtras& extras) : arguments_(arguments), extras_(extras) {
        for (const auto& [name, value] : extras.parameters) arguments.insert(arguments.end(), {"--mca", name, value});
    }
    void operator()(const char* name, const std::string& value) const {
        if (!extras_.sets(name)) arguments_.insert(arguments_.end(), {"--mca", name, value});
    }

private:
    Arguments& arguments_;
    const MpirunExtras& extras_;
};

/// A team that spins at its barriers while somebody else has the core makes a step forty times as long.
constexpr std::pair<const char*, const char*> waitPolicy{"OMP_WAIT_POLICY", "passive"};
/// A team that sleeps at each of a step's hundreds of short products takes three times as long: so spin, briefly.
constexpr std::pair<const char*, const char*> spinCount{"GOMP_SPINCOUNT", "10000"};

/// Only variables that are named reach ranks on other hosts.
void addEnvironment(Arguments& arguments, const MpirunExtras& extras, int threads) {
    const auto export_ = [&](const std::string& variable) { arguments.insert(arguments.end(), {"-x", variable}); };
    export_("OMP_NUM_THREADS=" + std::to_string(threads));
    for (const auto& [name, value] : {waitPolicy, spinCount}) export_(std::string(name) + "=" + value);
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        const std::string_view name = variable.substr(0, variable.find('='));
        const bool named = std::ranges::any_of(
            extras.variables, [&](std::string_view own) { return own.substr(0, own.find('=')) == name; });
        if (reachesRanks(name) && !named) export_(std::string(name));
    }
    for (const std::string& variable : extras.variables) export_(variable);
}

constexpr const char* noManager = "^slurm,tm,lsf,gridengine,alps,loadleveler";

void addHosts(Arguments& arguments, const Parameters& parameter, const MpirunOptions& options) {
    parameter("btl", "self,vader,tcp");
    // Daemons are started by the agent (rsh in Open MPI 4, ssh in 5), and each from here: hosts need not reach each
    // other by it.
    parameter("plm", noManager);
    for (const char* name : {"plm_rsh_agent", "plm_ssh_agent"}) parameter(name, "/bin/sh " + options.agent.string());
    for (const char* name : {"plm_rsh_no_tree_spawn", "plm_ssh_no_tree_spawn"}) parameter(name, "1");
    // The hosts have been chosen: no resource manager's list is asked again.
    parameter("ras", noManager);
    // Open MPI's daemons wait twice as long for a silent host as the launcher and its forwarders do: a link that comes
    // back within their patience must not end the run.
    parameter("oob_tcp_keepalive_time", "4");
    parameter("oob_tcp_keepalive_intvl", "1");
    parameter("oob_tcp_keepalive_probes", std::to_string(2 * hostPatience / 1'000'000'000));
    if (!options.network.empty()) {
        parameter("oob_tcp_if_include", options.network);
        parameter("btl_tcp_if_include", options.network);
    }
    // Open MPI 5 takes parameters for those of the part of the command line alone in which they stand.
    const Arguments parameters(std::ranges::find(arguments, "--mca"), arguments.end());
    for (const MpirunHost& host : options.hosts) {
        if (&host != &options.hosts.front()) {
            arguments.emplace_back(":");
            arguments.insert(arguments.end(), parameters.begin(), parameters.end());
        }
        arguments.insert(arguments.end(),
                         {"-n", std::to_string(host.ranks), "--host", host.name + ":" + std::to_string(host.ranks)});
        addEnvironment(arguments, options.extras, host.threads);
        arguments.push_back(options.rankProgram.string());
        arguments.insert(arguments.end(), host.rankArguments.begin(), host.rankArguments.end());
    }
}

}  // namespace

ProcessSpec mpirunCommand(const std::filesystem::path& mpirun, const MpirunOptions& options) {
    ProcessSpec spec;
    spec.program = mpirun;
    const bool several = !options.hosts.empty();
    Arguments& arguments = spec.arguments;
    // Slots are named, so that Open MPI does not count cores to judge what check() has judged already.
    if (!several)
        arguments = {"-n", std::to_string(options.ranks), "--host", "localhost:" + std::to_string(options.ranks)};
    arguments.insert(arguments.end(), {"--bind-to", "none", "--tag-output"});
    const Parameters parameter(arguments, options.extras);
    // Where all hosts have a faster network, Open MPI knows how to use it; a network that was named is one of TCP.
    const bool choosesItself = several && options.fabrics.any() && options.network.empty();
    if (!choosesItself) parameter("pml", "ob1");
    if (!several) parameter("btl", "self,vader");
    // Copying through the other process's memory needs a right that containers withhold; shared pages do not.
    parameter("btl_vader_single_copy_mechanism", "none");  // Open MPI 4
    parameter("smsc", "^cma,knem,xpmem");                  // Open MPI 5
    parameter("odls_base_sigkill_timeout", "0");
    for (const char* name : sessionFolderParameters) parameter(name, options.temporary.string());
    if (!options.sharedMemory.empty()) parameter("btl_vader_backing_directory", options.sharedMemory.string());
    const bool oversubscribed =
        several ? std::ranges::any_of(options.hosts, &MpirunHost::oversubscribed) : options.ranks > options.cores;
    if (oversubscribed) parameter("mpi_yield_when_idle", "1");
    if (several) {
        addHosts(arguments, parameter, options);
        // What tells ranks of Open MPI 5 the sizes of several parts crashes in PMIx 5.0.7 (Debian 13); they do without.
        spec.environment.emplace_back("PMIX_MCA_pmdl", "^ompi");
    } else {
        // Asked to end while ranks start it may stay for ever, see JobRun::takeOutput; its ranks end with it.
        spec.orphaned = SIGKILL;
        for (const std::string& variable : options.extras.variables)
            arguments.insert(arguments.end(), {"-x", variable});
        spec.privateNetwork = options.privateNetwork;
        arguments.push_back(options.rankProgram.string());
        arguments.insert(arguments.end(), options.rankArguments.begin(), options.rankArguments.end());
    }

    if (options.root) {
        spec.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
        spec.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    spec.environment.emplace_back("OMP_NUM_THREADS", std::to_string(options.threads));
    for (const auto& [name, value] : {waitPolicy, spinCount}) spec.environment.emplace_back(name, value);
    return spec;
}

}  // namespace shardlab::launch
