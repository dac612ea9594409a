// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"
#include "engine/base/crc32c.h"
#include "engine/base/file.h"
#include "engine/base/units.h"
#include "engine/launch/hosts/allowed_agents.h"
#include "engine/launch/hosts/this_machine.h"
#include "engine/launch/job/doctor.h"
#include "engine/launch/job/gpu_report.h"
#include "engine/launch/job/host_links.h"
#include "engine/launch/job/temporary_folder.h"
#include "engine/layout/host_name.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <future>
#include <thread>

namespace shardlab::launch {

namespace {

/// A host says by itself what keeps it; this is said of a host that neither gets ready nor fails.
constexpr std::chrono::seconds hostsPatience{90};

std::filesystem::path rankProgram() { return programFolder() / "shardlab-rank"; }

/// The rank program, wished to be the same: another build computes the same only nearly, and at another speed.
Result<SharedFile> sameProgram() {
    const auto content = readFile(rankProgram());
    if (!content) return fail(content.error());
    return SharedFile{SharedFile::Need::Wished, rankProgram().string(),
                      crc32c(std::as_bytes(std::span(content->data(), content->size())))};
}

GpuReport gpusOf(const std::string& host, const Agent& agent) {
    const std::vector<std::string> words =
        agent.command(host, "exec " + shellQuoted(rankProgram().string()) + " " + std::string(gpusArgument));
    const auto found = findInPath(words.front());
    return readGpuReport(linesOf({found.value_or(words.front()), {words.begin() + 1, words.end()}, {}}, gpusPatience));
}

std::string describe(const GpuReport& gpus) {
    if (gpus.names.empty())
        return gpus.whyNone.empty() ? "does not say whether it has GPUs" : "no GPU: " + gpus.whyNone;
    return fmt::format("{}, {}", fmt::join(gpus.names, ", "),
                       gpus.nccl.empty() ? "no NCCL: " + gpus.whyNoNccl : "NCCL " + gpus.nccl);
}

std::string describe(const ClockReading& clock) {
    return fmt::format("clock {} {} of this machine's, ± {}", formatSeconds(std::abs(toSeconds(clock.offset))),
                       clock.offset < 0 ? "behind" : "ahead", formatSeconds(toSeconds(clock.uncertainty)));
}

MachineFinding findingOf(const HostState& state, int devices, const std::string& gpus) {
    const std::string subject = "host " + state.name;
    if (state.failure) {
        const std::string& what = state.failure->what.english();
        return {subject, FindingState::Bad,
                fmt::format("{}: {}", what.starts_with(subject + " ") ? what.substr(subject.size() + 1) : what,
                            state.failure->why),
                state.failure->legal.english()};
    }
    if (!state.ready)
        return {subject, FindingState::Bad,
                fmt::format("neither ready nor refused within {}",
                            formatSeconds(static_cast<double>(hostsPatience.count()))),
                "look whether the network between the two loses packets"};
    MachineFinding finding{subject,
                           FindingState::Good,
                           fmt::format("cores {}, devices {}; {}; {}{}", state.cores, devices, describe(state.clock),
                                       gpus,
                                       state.fabrics.any() ? "; exchanges by " + state.fabrics.text() : std::string()),
                           {}};
    if (!state.unshared.empty()) {
        finding.detail += "; its shardlab-rank is of another build than this machine's";
        finding.advice = "the same build on every host";
    }
    return finding;
}

}  // namespace

Result<std::vector<MachineFinding>> examineHosts(const ClusterSpec& cluster, const std::string& named,
                                                 const std::stop_token& stop) {
    for (const HostSpec& host : cluster.hosts)
        if (!isHostName(host.name))
            return fail(Error{say("this is no host name"), host.name, say("it is handed to the agent"),
                              std::string(legalHostName)});
    if (allOwnNames(cluster.hosts)) return std::vector<MachineFinding>{};
    const auto agent = allowedAgent(cluster.agent, named);
    if (!agent) return fail(agent.error());
    const auto program = sameProgram();
    if (!program) return fail(program.error());
    const auto folder = TemporaryFolder::create(temporaryBaseOfHosts);
    if (!folder) return fail(folder.error());

    HostLinksOptions options;
    std::vector<int> devices;
    int firstRank = 0;
    for (std::size_t i = 0; i < cluster.hosts.size(); ++i) {
        const HostSpec& host = cluster.hosts[i];
        if (!isThisMachine(host.name)) {
            options.hosts.push_back({host.name, static_cast<int>(i), firstRank, host.devices});
            devices.push_back(host.devices);
        }
        firstRank += host.devices;
    }
    if (options.hosts.empty()) return std::vector<MachineFinding>{};
    options.agent = *agent;
    options.network = cluster.network;
    options.rankProgram = rankProgram();
    options.folder = folder->path();
    options.clockOrigin = monotonicNanoseconds();
    options.orders.layout = "{}";
    options.orders.files = {*program};
    const auto links = HostLinks::start(std::move(options));
    if (!links) return fail(links.error());

    std::vector<HostState> states;
    std::vector<std::future<GpuReport>> gpus;
    const auto settled = [](const HostState& state) { return state.ready || state.failure; };
    const auto giveUp = std::chrono::steady_clock::now() + hostsPatience;
    do {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        states = (*links)->states();
    } while (!std::ranges::all_of(states, settled) && std::chrono::steady_clock::now() < giveUp &&
             !stop.stop_requested());
    for (const HostState& state : states)
        gpus.push_back(std::async(std::launch::async, [&state, &agent, &stop] {
            return state.ready && !stop.stop_requested() ? gpusOf(state.name, *agent) : GpuReport{};
        }));
    std::vector<MachineFinding> findings;
    for (std::size_t i = 0; i < states.size(); ++i)
        findings.push_back(findingOf(states[i], devices[i], describe(gpus[i].get())));
    return findings;
}

}  // namespace shardlab::launch
