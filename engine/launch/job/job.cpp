// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/job.h"

#include "engine/base/clock.h"
#include "engine/base/token.h"
#include "engine/trace/checkpoint/resume.h"
#include "engine/launch/hosts/allowed_agents.h"
#include "engine/launch/hosts/this_machine.h"
#include "engine/launch/job/input_files.h"
#include "engine/launch/job/job_run.h"
#include "engine/launch/job/mpirun.h"
#include "engine/launch/job/private_network.h"
#include "engine/launch/job/run_header.h"
#include "engine/layout/layout_file.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/profile.h"

#include <algorithm>
#include <unistd.h>

namespace shardlab::launch {

namespace {

std::vector<RankRecord> expectedRanks(const Mesh& mesh) {
    std::vector<RankRecord> ranks;
    for (int rank = 0; rank < mesh.ranks(); ++rank)
        ranks.push_back({rank, mesh.hostName(rank), 0, mesh.label(rank), {}});
    return ranks;
}

Result<std::filesystem::path> findRankProgram(const std::filesystem::path& given) {
    const std::filesystem::path program = given.empty() ? programFolder() / "shardlab-rank" : given;
    if (access(program.c_str(), X_OK) == 0) return program;
    return fail(Error{say("shardlab-rank is missing"), program.string(), say("it is what mpirun starts for each rank"),
                      say("build it: ninja -C build shardlab-rank")});
}

/// The checkpoint that the ranks will read, judged before any of them starts.
Result<std::filesystem::path> findResume(const Layout& layout, const std::filesystem::path& place) {
    if (place.empty()) return std::filesystem::path();
    const auto found = newestWhole(std::filesystem::absolute(place));
    if (!found) return fail(found.error());
    const auto manifest = readManifest(*found);
    if (!manifest) return fail(manifest.error());
    if (const Status legal = canContinue(layout, *manifest, *found); !legal) return fail(legal.error());
    return *found;
}

/// The plan of a layout whose hosts may be reached as it says.
Result<Plan> runnablePlan(const JobOptions& options) {
    auto plan = makePlan(options.layout, options.measurements);
    if (!plan) return fail(Error{say("the layout cannot run"), options.layout.name, toText(plan.error()), {}});
    const ClusterSpec& cluster = plan->layout.cluster;
    if (options.operationsEvery > 0 && cluster.pace)
        return fail(Error{say("cannot record operations"), "/cluster/pace",
                          say("a paced run shows the times of modelled devices, and operations take those of this "
                              "machine"),
                          say("a run at full speed, without /cluster/pace")});
    if (!allOwnNames(cluster.hosts))
        if (const auto agent = allowedAgent(cluster.agent, options.agent); !agent) return fail(agent.error());
    return std::move(*plan);
}

struct RunFolders {
    TemporaryFolder own;
    std::optional<TemporaryFolder> sharedMemory;  ///< none: ranks exchange without it
};

/// Makes the folders of a run, and removes those that runs before left behind.
Result<RunFolders> makeFolders(const ClusterSpec& cluster) {
    // Other hosts make a folder of the same name, which the user's runtime folder need not be on them.
    const std::filesystem::path base =
        allOwnNames(cluster.hosts) ? temporaryBase() : std::filesystem::path(temporaryBaseOfHosts);
    const std::filesystem::path sharedMemoryBase = "/dev/shm";
    sweepAbandonedFolders(base);
    sweepAbandonedFolders(sharedMemoryBase);
    auto own = TemporaryFolder::create(base);
    if (!own) return fail(own.error());
    RunFolders folders{std::move(*own), std::nullopt};
    if (auto sharedMemory = TemporaryFolder::create(sharedMemoryBase))
        folders.sharedMemory.emplace(std::move(*sharedMemory));
    return folders;
}

/// How mpirun starts the ranks of a plan, whose files lie in `folder`.
MpirunOptions mpirunOptions(const Plan& plan, const JobOptions& options, const std::filesystem::path& rankProgram,
                            const std::filesystem::path& folder) {
    const ClusterSpec& cluster = plan.layout.cluster;
    MpirunOptions mpi;
    mpi.ranks = plan.mesh.ranks();
    mpi.cores = usableCores();
    mpi.threads = threadsPerRank(mpi.ranks, mpi.cores);
    mpi.root = geteuid() == 0;
    mpi.rankProgram = rankProgram;
    mpi.temporary = folder;
    mpi.extras = options.mpirun;
    // NCCL looks for network interfaces by itself.
    mpi.privateNetwork = allOwnNames(cluster.hosts) && cluster.device == DeviceKind::Cpu && privateNetworkIsAllowed();
    return mpi;
}

/// What all ranks are told, but for the token, the clock's origin and the checkpoint that they continue.
RankArguments rankArguments(const Plan& plan, const JobOptions& options, const MpirunOptions& mpi) {
    RankArguments arguments;
    arguments.layout = mpi.temporary / "layout.json";
    arguments.folder = mpi.temporary;
    arguments.socket = (mpi.temporary / "collector.socket").string();
    arguments.stretch = plan.costs.stretch;
    arguments.oversubscribed = mpi.ranks > mpi.cores;
    arguments.threads = mpi.threads;
    arguments.profile = options.profile;
    arguments.operationsEvery = options.operationsEvery;
    arguments.checkpoints = checkpointFolder(plan.layout, options.runFile);
    arguments.faults = injectedFaults(plan.layout.run.faults);
    return arguments;
}

}  // namespace

std::filesystem::path checkpointFolder(const Layout& layout, const std::filesystem::path& runFile) {
    if (!layout.checkpoint.path.empty()) return layout.checkpoint.path;
    return std::filesystem::absolute(runFile).replace_extension(".checkpoints");
}

Result<std::unique_ptr<Job>> Job::start(const JobOptions& options, RunObserver& observer) {
    const std::int64_t origin = monotonicNanoseconds();
    auto plan = runnablePlan(options);
    if (!plan) return fail(plan.error());
    const auto mpirun = findMpirun();
    if (!mpirun) return fail(mpirun.error());
    const auto rankProgram = findRankProgram(options.rankProgram);
    if (!rankProgram) return fail(rankProgram.error());

    const auto resume = findResume(plan->layout, options.resume);
    if (!resume) return fail(resume.error());
    if (const Status there = canReadFiles(plan->layout, !resume->empty()); !there) return fail(there.error());
    auto folders = makeFolders(plan->layout.cluster);
    if (!folders) return fail(folders.error());
    auto token = randomToken();
    if (!token) return fail(token.error());

    MpirunOptions mpi = mpirunOptions(*plan, options, *rankProgram, folders->own.path());
    if (folders->sharedMemory) mpi.sharedMemory = folders->sharedMemory->path();
    RankArguments arguments = rankArguments(*plan, options, mpi);
    arguments.token = *token;
    arguments.clockOrigin = origin;
    arguments.resume = *resume;
    if (const Status saved = saveLayout(plan->layout, arguments.layout); !saved) return fail(saved.error());

    CollectorOptions listening;
    listening.socket = arguments.socket;
    listening.token = *token;
    listening.ranks = mpi.ranks;
    listening.clockOrigin = origin;
    auto collector = Collector::listen(listening);
    if (!collector) return fail(collector.error());

    const bool ownPlace = !plan->layout.checkpoint.path.empty();
    auto checkpoints = CheckpointLock::take(arguments.checkpoints, ownPlace || plan->layout.checkpoint.every > 0);
    if (!checkpoints) return fail(checkpoints.error());

    RunHeader header = headerOf(*plan);
    auto writer = RunWriter::create(options.runFile, header);
    if (!writer) return fail(writer.error());
    if (const Status done = (*writer)->appendPredicted(plan->simulation.events); !done) return fail(done.error());

    static_cast<void>(takeRunRequest(options.runFile));  // it was meant for an earlier run
    RunHosts hosts({plan->layout, mpi, *mpirun, arguments.socket, options.agent});
    RestartPolicy restarts(plan->layout, arguments.checkpoints, *resume);
    JobSetup setup{std::move(folders->own),
                   std::move(folders->sharedMemory),
                   std::move(arguments),
                   std::move(hosts),
                   expectedRanks(plan->mesh),
                   std::move(header),
                   std::move(plan->simulation.events),
                   std::move(*writer),
                   listening,
                   std::move(*collector),
                   {plan->mesh, plan->lowered, options.layout.run.deadline, plan->simulation.stepSeconds,
                    !options.profile.empty()},
                   std::move(restarts),
                   ElasticWorld(*plan),
                   options.runFile,
                   options.server,
                   std::move(*checkpoints)};
    auto run = std::make_unique<JobRun>(std::move(setup), observer);
    if (options.server) options.server->serve(options.runFile);
    if (const Status started = run->begin(); !started) return fail(started.error());
    return run;
}

}  // namespace shardlab::launch
