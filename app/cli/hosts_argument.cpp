// SPDX-License-Identifier: Apache-2.0
#include "app/cli/hosts_argument.h"

#include "engine/base/file.h"
#include "engine/launch/hosts/allowed_agents.h"
#include "engine/launch/hosts/host_list.h"

#include <cstdlib>

namespace shardlab::cli {

void HostsArgument::addTo(Verb& verb) {
    const Option file = verb.option("--hostfile", hostfile,
                                    "Run on the hosts of this file, one a line: NAME slots=N (as Open MPI reads it)")
                            .typeName("FILE");
    verb.flag("--slurm", slurm, "Run on the hosts of the Slurm allocation that this is started in, reached by srun")
        .excludes(file);
    const Option program = verb.option("--agent", agent,
                                       "Program, with its arguments, that runs a command on another host; {host} "
                                       "stands for the host, which else "
                                       "comes last (default: ssh, which must not ask for a password). One that the "
                                       "layout names is started only "
                                       "where it is given here too, or was remembered")
                               .typeName("\"PROGRAM ARGS\"");
    verb.flag("--remember-agent", rememberAgent, "Allow this --agent from now on, in whichever layout it stands")
        .needs(program);
    verb.option("--network", network, "Networks (10.1.0.0/16) or interfaces (ib0) that join the hosts, with commas")
        .typeName("CIDR");
}

std::optional<Result<std::vector<HostSpec>>> HostsArgument::listed() const {
    if (!hostfile.empty()) {
        constexpr std::int64_t longestHostfile = std::int64_t{16} << 20;
        const auto text = readFile(hostfile, longestHostfile);
        return text ? parseHostfile(*text, hostfile) : fail(text.error());
    }
    if (slurm) return slurmHosts([](const char* name) { return std::getenv(name); });
    return {};
}

Result<std::string> HostsArgument::allowed() const {
    if (rememberAgent)
        if (const Status remembered = allowAgent(*agent); !remembered) return fail(remembered.error());
    return agent.value_or(std::string());
}

Result<Layout> HostsArgument::apply(Layout layout) const {
    if (slurm) layout.cluster.agent = slurmAgent;
    if (const auto hosts = listed()) {
        if (!*hosts) return fail(hosts->error());
        auto taken = takeDevices(**hosts, rankCount(layout), hostfile.empty() ? "the Slurm allocation" : hostfile);
        if (!taken) return fail(taken.error());
        layout.cluster.hosts = std::move(*taken);
    }
    if (agent) layout.cluster.agent = *agent;
    if (network) layout.cluster.network = *network;
    return layout;
}

}  // namespace shardlab::cli
