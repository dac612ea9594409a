// SPDX-License-Identifier: Apache-2.0
#include "app/cli/layout_argument.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/launch/hosts/agent.h"
#include "engine/launch/hosts/this_machine.h"
#include "engine/launch/job/doctor.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace shardlab::cli {

namespace {

struct DoctorOptions {
    LayoutArgument layout;
    bool json = false;
};

/// The hosts that are to be asked: those of the layout, or all of the hostfile or the allocation.
Result<ClusterSpec> clusterOf(LayoutArgument argument) {
    const HostsArgument hosts = std::exchange(argument.hosts, {});
    ClusterSpec cluster;
    cluster.hosts = {};
    if (!argument.layout.empty()) {
        auto loaded = load(argument);
        if (!loaded) return fail(loaded.error());
        const bool itsOwn = hosts.hostfile.empty() && !hosts.slurm;
        for (const Fault& fault : loaded->faults)
            if (itsOwn && fault.pointer.starts_with("/cluster"))
                return fail(Error{fault.what, fault.pointer, fault.why, fault.legal});
        cluster = std::move(loaded->layout.cluster);
    }
    if (auto listed = hosts.listed()) {
        if (!*listed) return fail(listed->error());
        cluster.hosts = std::move(**listed);
        if (hosts.slurm) cluster.agent = slurmAgent;
    }
    if (hosts.agent) cluster.agent = *hosts.agent;
    if (hosts.network) cluster.network = *hosts.network;
    return cluster;
}

int doctor(const DoctorOptions& options) {
    const auto cluster = clusterOf(options.layout);
    if (!cluster) return failWith(cluster.error());
    const auto agent = options.layout.hosts.allowed();
    if (!agent) return failWith(agent.error());
    std::vector<MachineFinding> findings = examineMachine();
    if (!allOwnNames(cluster->hosts)) printNote("calling the hosts; one that does not answer takes half a minute");
    auto hosts = examineHosts(*cluster, *agent);
    if (hosts) {
        std::ranges::move(*hosts, std::back_inserter(findings));
    } else {
        const std::string legal = std::exchange(hosts.error().legal, {}).english();
        findings.push_back({"hosts", FindingState::Bad, hosts.error().text(), legal});
    }
    const bool works = std::ranges::none_of(
        findings, [](const MachineFinding& finding) { return finding.state == FindingState::Bad; });
    if (options.json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const MachineFinding& finding : findings)
            list.push_back({{"subject", finding.subject},
                            {"state", name(finding.state)},
                            {"detail", finding.detail},
                            {"advice", finding.advice}});
        print(nlohmann::ordered_json{{"works", works}, {"findings", std::move(list)}}.dump(2) + "\n");
    } else {
        Table table({"", "state", "detail"});
        for (const MachineFinding& finding : findings)
            table.add({finding.subject, std::string(name(finding.state)),
                       finding.detail + (finding.advice.empty() ? "" : " → " + finding.advice)});
        print(table.text());
    }
    return works ? success : failure;
}

}  // namespace

void addDoctor(CommandLine& line) {
    Verb verb(line, "doctor", "Tell what this machine, and hosts of a run, can do, and what to install for the rest");
    const auto options = std::make_shared<DoctorOptions>();
    options->layout.addTo(verb, false);
    options->layout.hosts.addTo(verb);
    verb.flag("--json", options->json, "Answer with one JSON object");
    verb.footer("With a LAYOUT, --hostfile or --slurm every host there is called as a run would call it.");
    verb.runs([options] { return doctor(*options); });
}

}  // namespace shardlab::cli
