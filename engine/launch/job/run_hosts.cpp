// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/run_hosts.h"

#include "engine/base/clock.h"
#include "engine/base/crc32c.h"
#include "engine/base/file.h"
#include "engine/base/token.h"
#include "engine/base/units.h"
#include "engine/trace/checkpoint/manifest.h"
#include "engine/launch/hosts/allowed_agents.h"
#include "engine/launch/hosts/this_machine.h"
#include "engine/launch/job/input_files.h"
#include "engine/launch/job/stray_processes.h"
#include "engine/launch/job/temporary_folder.h"
#include "engine/predict/plan/profile.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::launch {
namespace {

constexpr std::chrono::milliseconds filePatience{3000};
constexpr std::chrono::milliseconds flightPatience{700};

/// A new file in the folder, or in the nearest above it that is there: whether another host sees it tells whether the
/// two share the folder.
class Marker {
public:
    static Result<Marker> create(std::filesystem::path folder) {
        std::error_code ignored;
        while (!std::filesystem::is_directory(folder, ignored) && folder.has_relative_path())
            folder = folder.parent_path();
        const auto token = randomToken();
        if (!token) return fail(token.error());
        const std::filesystem::path file = folder / (".shardlab-" + token->substr(0, 8));
        if (const Status written = replaceFile(file, *token); !written) return fail(written.error());
        return Marker(file, crc32c(std::as_bytes(std::span(token->data(), token->size()))));
    }
    Marker(Marker&& other) noexcept : file_(std::exchange(other.file_, {})), checksum_(other.checksum_) {}
    Marker& operator=(Marker&&) = delete;
    ~Marker() {
        std::error_code ignored;
        if (!file_.empty()) std::filesystem::remove(file_, ignored);
    }
    SharedFile wanted(bool needed) const {
        return {needed ? SharedFile::Need::Same : SharedFile::Need::Wished, file_.string(), checksum_};
    }

private:
    Marker(std::filesystem::path file, std::uint32_t checksum) : file_(std::move(file)), checksum_(checksum) {}
    std::filesystem::path file_;
    std::uint32_t checksum_;
};

/// How the host reads the clock of a run whose 0 is `origin` on this host's clock; as this host where it was not heard.
ClockLine lineOf(std::span<const HostClock> measured, const std::string& host, std::int64_t origin) {
    const auto clock = std::ranges::find(measured, host, &HostClock::host);
    if (clock == measured.end()) return {origin, origin, 0};
    return {origin + clock->offset, clock->time + origin + clock->offset, clock->drift};
}

}  // namespace

struct RunHosts::Shared {
    Marker marker;
};

RunHosts::RunHosts(RunHostsSetup setup)
    : setup_(std::move(setup)), mesh_(setup_.layout), several_(!allOwnNames(setup_.layout.cluster.hosts)) {}

RunHosts::RunHosts(RunHosts&&) noexcept = default;
RunHosts::~RunHosts() = default;

Status RunHosts::call(const RankArguments& arguments) {
    int first = 0;
    std::vector<RemoteHost> others;
    for (const HostSpec& spec : setup_.layout.cluster.hosts) {
        const Host host{spec.name, static_cast<int>(hosts_.size()), first, spec.devices, isThisMachine(spec.name)};
        first += spec.devices;
        hosts_.push_back(host);
        if (!host.here) others.push_back({host.name, host.index, host.firstRank, host.ranks});
    }
    if (!arguments.profile.empty() && !hosts_.front().here)
        return fail(Error{say("cannot profile hosts without this one"), "/cluster/hosts",
                          say("rank 0 writes the profile, on its own host"), say("this machine first")});
    const auto agent = allowedAgent(setup_.layout.cluster.agent, setup_.agent);
    if (!agent) return fail(agent.error());
    setup_.mpirun.agent = arguments.layout.parent_path() / "agent";
    const std::string script = agent->script(setup_.mpirun.temporary / TemporaryFolder::mark);
    if (const Status written = replaceFile(setup_.mpirun.agent, script); !written) return written;

    HostLinksOptions options;
    options.hosts = std::move(others);
    options.agent = *agent;
    options.network = setup_.layout.cluster.network;
    options.rankProgram = std::filesystem::absolute(setup_.mpirun.rankProgram);
    options.folder = setup_.mpirun.temporary;
    options.sharedMemory = setup_.mpirun.sharedMemory;
    options.collector = setup_.collector;
    options.clockOrigin = arguments.clockOrigin;
    const auto layout = readFile(arguments.layout);
    if (!layout) return fail(layout.error());
    options.orders.layout = *layout;
    for (const ReadFile& file : filesRead(setup_.layout, !arguments.resume.empty()))
        options.orders.files.push_back({SharedFile::Need::Exists, file.path, 0});
    auto marker = Marker::create(arguments.checkpoints);
    if (!marker) return fail(marker.error());
    shared_ = std::make_unique<Shared>(Shared{std::move(*marker)});
    options.orders.files.push_back(shared_->marker.wanted(setup_.layout.checkpoint.every > 0));
    if (!arguments.resume.empty()) {
        const std::filesystem::path manifest = arguments.resume / manifestFile;
        const auto content = readFile(manifest);
        if (!content) return fail(content.error());
        options.orders.files.push_back({SharedFile::Need::Same, manifest.string(),
                                        crc32c(std::as_bytes(std::span(content->data(), content->size())))});
    }
    auto links = HostLinks::start(std::move(options));
    if (!links) return fail(links.error());
    links_ = std::move(*links);
    return {};
}

Result<bool> RunHosts::ready() {
    const auto ready = links_ ? links_->ready() : Result<bool>(true);
    if (!ready || *ready) shared_.reset();
    return ready;
}

RankArguments RunHosts::argumentsOn(const Host& host, const RankArguments& here) const {
    RankArguments arguments = here;
    const int cores = host.here ? setup_.mpirun.cores : links_->cores(host.index);
    arguments.threads = threadsPerRank(host.ranks, cores);
    arguments.oversubscribed = host.ranks > cores;
    if (host.here) return arguments;
    const std::filesystem::path folder = ForwarderSetup::hostFolderIn(setup_.mpirun.temporary, host.index);
    arguments.folder = RankArguments::attemptFolder(folder, attempt_);
    arguments.layout = folder / "layout.json";
    arguments.socket = ForwarderSetup::socketIn(folder).string();
    arguments.clockOrigin = lineOf(links_->clocks(), host.name, here.clockOrigin).origin;
    return arguments;
}

ProcessSpec RunHosts::command(const RankArguments& arguments) const {
    MpirunOptions options = setup_.mpirun;
    options.rankArguments = toArgv(arguments);
    options.network = setup_.layout.cluster.network;
    for (const Host& host : links_ ? hosts_ : std::vector<Host>()) {
        const RankArguments there = argumentsOn(host, arguments);
        options.hosts.push_back({host.name, host.ranks, there.threads, toArgv(there), there.oversubscribed});
    }
    options.fabrics = fabrics();
    return mpirunCommand(setup_.program, options);
}

Fabrics RunHosts::fabrics() const {
    if (!links_ || !setup_.layout.cluster.network.empty()) return {};
    const bool here = std::ranges::any_of(hosts_, &Host::here);
    Fabrics all = here ? fabricsHere() : Fabrics{.ucx = true, .ofi = true};
    for (const HostState& host : links_->states()) all = common(all, host.fabrics);
    return all;
}

void RunHosts::change(Layout layout) {
    end();
    shared_.reset();
    hosts_.clear();
    setup_.layout = std::move(layout);
    mesh_ = Mesh(setup_.layout);
    several_ = !allOwnNames(setup_.layout.cluster.hosts);
    setup_.mpirun.ranks = mesh_.ranks();
    setup_.mpirun.threads = threadsPerRank(mesh_.ranks(), setup_.mpirun.cores);
}

void RunHosts::attempt(int restart) {
    attempt_ = restart;
    if (links_) links_->attempt(restart);
}

Result<RankStatus> RunHosts::status(const RankArguments& arguments, int rank) const {
    if (!links_ || !links_->holds(rank)) return readStatus(arguments.statusFile(rank));
    const auto report = links_->report(rank);
    if (!report)
        return fail(Error{
            say("nothing is known of the rank"), mesh_.hostName(rank), say("its host has not told of it yet"), {}});
    return report->status;
}

bool RunHosts::isStopped(int rank, const RankStatus& status) const {
    if (!links_ || !links_->holds(rank)) return launch::isStopped(status.pid);
    const auto report = links_->report(rank);
    return report && report->state == RankReport::State::Stopped;
}

bool RunHosts::mayBeGone(int rank) const {
    if (!links_ || !links_->holds(rank)) return true;
    const auto report = links_->report(rank);
    return report && report->state == RankReport::State::Gone;
}

Result<std::vector<FlightEntry>> RunHosts::flight(const RankArguments& arguments, int rank) const {
    if (links_ && links_->holds(rank))
        static_cast<void>(links_->fetch({rank, RankFile::Flight, 0}, arguments.flightFile(rank), flightPatience));
    return readFlight(arguments.flightFile(rank));
}

void RunHosts::kill(std::chrono::milliseconds patience) const {
    if (links_) links_->kill(patience);
}

Status RunHosts::fetchSpool(const RankArguments& arguments, int rank, std::uint64_t from) const {
    if (!links_ || !links_->holds(rank)) return {};
    if (links_->fetch({rank, RankFile::Spool, from}, arguments.spoolFile(rank), filePatience)) return {};
    return fail(Error{say("what rank {} recorded last is missing", rank),
                      say("host {}", mesh_.hostName(rank)),
                      say("the host cannot be reached"),
                      {}});
}

std::string RunHosts::ranksOf(const std::string& name) const {
    const auto host = std::ranges::find(hosts_, name, &Host::name);
    if (host == hosts_.end()) return {};
    if (host->ranks == 1) return fmt::format("rank {}", host->firstRank);
    return fmt::format("ranks {} to {}", host->firstRank, host->firstRank + host->ranks - 1);
}

std::string RunHosts::lost() const {
    const std::string name = links_ ? links_->lost() : std::string();
    if (name.empty()) return {};
    return fmt::format("host {} is cut off: nothing was heard of it for {}; with it {}", name,
                       formatSeconds(toSeconds(hostPatience)), ranksOf(name));
}

std::string RunHosts::silent() const {
    const std::vector<std::string> names = links_ ? links_->silent() : std::vector<std::string>();
    if (names.empty()) return {};
    return fmt::format("host {} cannot be reached; with it {}", fmt::join(names, ", "), ranksOf(names.front()));
}

std::vector<std::string> RunHosts::missing() const {
    if (!links_) return {};
    std::vector<std::string> names = links_->silent();
    for (const HostState& host : links_->states())
        if (host.failure && std::ranges::find(names, host.name) == names.end()) names.push_back(host.name);
    return names;
}

std::vector<RunHosts::RankClock> RunHosts::rankClocks(std::span<const HostClock> measured, std::int64_t origin) const {
    std::vector<RankClock> all;
    for (const Host& host : hosts_) {
        if (host.here) continue;
        const ClockLine line = lineOf(measured, host.name, origin);
        for (int rank = host.firstRank; rank < host.firstRank + host.ranks; ++rank) all.push_back({rank, line});
    }
    return all;
}

std::vector<std::string> RunHosts::names() const {
    std::vector<std::string> names;
    if (!several_) return names;
    for (int rank = 0; rank < mesh_.ranks(); ++rank) names.push_back(mesh_.hostName(rank));
    return names;
}

}  // namespace shardlab::launch
