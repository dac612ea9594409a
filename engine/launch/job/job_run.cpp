// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/job_run.h"

#include "engine/base/clock.h"
#include "engine/trace/checkpoint/manifest.h"
#include "engine/trace/record/checkpoint_tally.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <set>

namespace shardlab::launch {

namespace {

constexpr int pollMilliseconds = 20;
constexpr std::chrono::milliseconds killPatience{1500};
constexpr std::int64_t afterTerminate = 1'000 * nsPerMillisecond;
constexpr std::int64_t afterAbandon = 1'500 * nsPerMillisecond;
constexpr std::chrono::seconds patienceAtExit{10};

/// Jobs that go on. Where the program ends by exit(), as Qt's does once its X server is gone, nobody takes them down:
/// their runs would break off. What is called then reaches nothing but globals.
class RunningJobs {
public:
    static RunningJobs& all() {
        static RunningJobs jobs;
        // Behind the construction, so that it is called before the destruction.
        [[maybe_unused]] static const int registered = std::atexit([] { all().endNow(); });
        return jobs;
    }
    void add(JobRun* job) {
        const std::lock_guard lock(mutex_);
        jobs_.insert(job);
    }
    void remove(JobRun* job) {
        const std::lock_guard lock(mutex_);
        jobs_.erase(job);
    }

private:
    void endNow() {
        const std::lock_guard lock(mutex_);
        for (JobRun* job : jobs_) job->abandon();
        for (JobRun* job : jobs_) job->waitFor(patienceAtExit);
    }
    std::mutex mutex_;
    std::set<JobRun*> jobs_;
};

}  // namespace

JobRun::JobRun(JobSetup setup, RunObserver& observer)
    : setup_(std::move(setup)), observer_(observer),
      recording_(std::move(setup_.writer), observer, setup_.arguments.clockOrigin), attempt_(setup_.watch),
      faults_(injectedFaults(setup_.world.whole().run.faults)) {}

JobRun::~JobRun() {
    RunningJobs::all().remove(this);
    requests_.abandon();
    if (thread_.joinable()) thread_.join();
}

Status JobRun::begin() {
    std::promise<Status> started;
    std::future<Status> word = started.get_future();
    RunningJobs::all().add(this);
    // mpirun is started by this thread and not by the caller's: the kernel ends it when its starter ends.
    thread_ = std::thread([this, started = std::move(started)]() mutable { run(started); });
    return word.get();
}

void JobRun::setState(RunState state) {
    if (state_.exchange(state) != state) observer_.stateChanged(state);
}

void JobRun::run(std::promise<Status>& started) {
    // Other hosts take seconds to answer: the caller does not wait for that, and is told as of a run that failed.
    const bool several = setup_.hosts.several();
    const auto tellStart = [&] {
        observer_.begun(setup_.header);
        observer_.predictedArrived(std::exchange(setup_.predicted, {}));
        started.set_value({});
        observer_.stateChanged(RunState::Starting);
        for (const RankRecord& record : setup_.ranks) recording_.rankChanged(record);
        const std::filesystem::path& from = setup_.arguments.resume;
        if (from.empty()) return;
        if (const auto manifest = readManifest(from))
            recording_.log(LogLevel::Info, goesOnFrom(manifest->step, from.string()));
    };
    if (several) tellStart();
    const Status reached = several ? reachHosts() : Status{};
    Result<Process> first = reached ? Process::start(setup_.hosts.command(setup_.arguments)) : fail(reached.error());
    if (!first) {
        setup_.collector->stop();
        if (several) {
            concludeUnstarted(first.error());
        } else {
            recording_.finish({"failed", first.error().text()});
            started.set_value(fail(first.error()));
        }
        doneWord_.set_value();
        return;
    }
    if (!several) tellStart();

    std::optional<Process> process(std::move(*first));
    for (;;) {
        const ExitStatus exit = follow(*process);
        cleanUp(*process);
        Verdict verdict = judged(exit);
        const std::optional<Continuation> next = continuationAfter(verdict);
        if (next) {
            recordEnds(verdict);
            Result<Process> again = goOn(*next);
            if (again) {
                process.emplace(std::move(*again));
                continue;
            }
            verdict.ranks.clear();  // recorded already; a world that came to nothing may number ranks otherwise
            if (unwanted()) verdict.run = {"stopped", "stopped on request, while ranks were starting again"};
            else
                verdict.run = {"failed", (next->asked ? "" : verdict.run.reason + "; ") +
                                             "not restarted: " + again.error().text()};
        }
        conclude(std::move(verdict));
        break;
    }
    doneWord_.set_value();
}

/// Returns when ranks may be started on all hosts. Error: why they may not, or that nobody wants it any more.
Status JobRun::reachHosts() {
    if (const Status called = setup_.hosts.call(setup_.arguments); !called) return called;
    for (;;) {
        const Result<bool> ready = setup_.hosts.ready();
        if (!ready) return fail(ready.error());
        takeCommands();
        if (requests_.killed() || attempt_.end.due)
            return fail(Error{say("stopped while hosts were called"), {}, {}, {}});
        if (*ready) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(pollMilliseconds));
    }
    if (const std::string unshared = setup_.hosts.unshared(); !unshared.empty())
        recording_.log(LogLevel::Warning, unshared + ": this run can take no checkpoint");
    if (const Fabrics fabrics = setup_.hosts.fabrics(); fabrics.any())
        recording_.log(LogLevel::Info, fmt::format("all hosts have {} besides TCP: Open MPI chooses how ranks exchange",
                                                   fabrics.text()));
    trackHosts();
    return {};
}

ExitStatus JobRun::follow(Process& process) {
    attempt_.lateStart.begin(recording_.now());
    std::optional<ExitStatus> exit;
    while (!exit) {
        takeOutput(process.read(pollMilliseconds));
        if (!recording_.behind()) receive();
        takeCommands();
        takeResize();
        takeFaultsAsked();
        watchRanks();
        noticeStopped(process);
        if (recording_.error()) endWithin(0, "the run file cannot be written");
        endWhenDue(process);
        exit = process.exitStatus();
    }
    return *exit;
}

void JobRun::takeCommands() {
    std::vector<Command> commands = requests_.takeCommands();
    if (requests_.abandoned() && !stopRequested_) commands.push_back(Command::Stop);
    for (const Command command : commands) {
        Event event = launcherEvent(EventKind::Command, recording_.now());
        event.value = static_cast<double>(command);
        recording_.eventsArrived({event});
        if (const std::string unshared = setup_.hosts.unshared(); command == Command::Checkpoint && !unshared.empty()) {
            recording_.log(LogLevel::Error, "no checkpoint is taken: " + unshared);
            continue;
        }
        setup_.collector->send(command);
        if (command == Command::Pause || command == Command::Resume) pauseRequested_ = command == Command::Pause;
        if (command != Command::Stop) continue;
        stopRequested_ = true;
        // No rank listens yet: there is no step boundary to wait for.
        if (starting()) endWithin(0, "stopped while ranks were starting", AttemptEnd::Cause::Request);
        setState(RunState::Stopping);
    }
    if (requests_.abandoned()) endWithin(afterAbandon, "the launcher is closing", AttemptEnd::Cause::Request);
}

void JobRun::endWithin(std::int64_t nanoseconds, const char* why, AttemptEnd::Cause cause) {
    attempt_.end.by(recording_.now() + nanoseconds, why, cause);
}

void JobRun::endWhenDue(Process& process) {
    const std::int64_t now = recording_.now();
    AttemptEnd& end = attempt_.end;
    if (end.due && now >= *end.due && !end.killDue) {
        recording_.log(LogLevel::Info, fmt::format("ending mpirun: {}", end.why));
        // mpirun of Open MPI 5 lets stopped ranks go on (SIGCONT) before it ends them, and the run went on, too.
        if (attempt_.hung) {
            killProcesses(processesOfJob(setup_.folder.path()));
            setup_.hosts.kill(std::chrono::milliseconds(0));
        }
        process.signal(SIGTERM);
        end.begun = now;
        end.killDue = now + afterTerminate;
    }
    if (requests_.killed() || (end.killDue && now >= *end.killDue)) {
        if (!end.begun) end.begun = now;
        process.signal(SIGKILL);
        killProcesses(processesOfJob(setup_.folder.path()));
        setup_.hosts.kill(std::chrono::milliseconds(0));
    }
}

/// Leaves no process of the job, and hands over what ranks had recorded but could not send any more.
void JobRun::cleanUp(Process& process) {
    takeOutput(process.readRest());
    if (const std::string cut = attempt_.report.rest(); !cut.empty()) recording_.log(LogLevel::Info, cut);
    killJob(setup_.folder.path(), setup_.folder.path(), std::chrono::nanoseconds(afterTerminate));
    receive();
    if (attempt_.cutOff.empty()) attempt_.cutOff = setup_.hosts.silent();
    setup_.hosts.kill(killPatience);
    receive();
    for (std::size_t rank = 0; rank < attempt_.fates.size(); ++rank) {
        if (attempt_.fates[rank].goodbye || !attempt_.fates[rank].joined) continue;
        const int number = static_cast<int>(rank);
        if (const Status fetched =
                setup_.hosts.fetchSpool(setup_.arguments, number, setup_.collector->accepted(number));
            !fetched) {
            recording_.log(LogLevel::Warning, fetched.error().text());
            continue;
        }
        if (const Status done = setup_.collector->recover(number, setup_.arguments.spoolFile(number)); !done)
            recording_.log(LogLevel::Warning, done.error().text());
    }
    setup_.collector->stop();
    receive();
}

Verdict JobRun::judged(const ExitStatus& mpirun) {
    for (std::size_t rank = 0; rank < attempt_.fates.size() && !attempt_.hung; ++rank)
        if (const Result<RankStatus> status = setup_.hosts.status(setup_.arguments, static_cast<int>(rank)))
            attempt_.fates[rank].status = *status;
    if (const CollectorCounts counts = setup_.collector->counts(); counts.refused() > 0)
        recording_.log(LogLevel::Warning, "refused on the run's socket: " + counts.refusals());

    recording_.settle();
    const bool endedOnRequest = attempt_.end.killDue && attempt_.end.requested();
    if (const HostCounts links = setup_.hosts.counts(); links.refused() > 0)
        recording_.log(LogLevel::Warning, "refused where other hosts connect: " + links.refusals());
    JobFate fate{mpirun,
                 attempt_.report,
                 requests_.killed() || endedOnRequest,
                 recording_.error(),
                 attempt_.hung,
                 attempt_.cutOff,
                 setup_.hosts.names(),
                 attempt_.stuck,
                 attempt_.end.begun};
    if (std::error_code gone; fate.recordError && std::filesystem::exists(setup_.runFile, gone))
        fate.recordError->legal = "The run was ended; what was recorded before can be read";
    Verdict verdict = judge(attempt_.fates, fate);
    if (verdict.run.outcome == "failed" && setup_.world.renumbered())
        verdict.run.reason += fmt::format(" (of the {} ranks that took part)", setup_.world.ranks());
    if (verdict.run.outcome == "failed" || fate.killRequested) recordFlight();
    return verdict;
}

void JobRun::recordEnds(const Verdict& verdict) {
    for (std::size_t rank = 0; rank < verdict.ranks.size(); ++rank) {
        RankRecord& record = recordOf(static_cast<int>(rank));
        record.end = verdict.ranks[rank];
        recording_.rankChanged(record);
    }
}

/// Ends a run of which no rank was ever started.
void JobRun::concludeUnstarted(const Error& error) {
    const bool asked = requests_.killed() || attempt_.end.requested();
    conclude(
        {std::vector<std::string>(attempt_.fates.size(), "never started"),
         asked ? RunEnd{"stopped", "stopped on request, before ranks were started"} : RunEnd{"failed", error.text()}});
}

void JobRun::conclude(Verdict verdict) {
    static_cast<void>(takeRunRequest(setup_.runFile));  // nobody takes it any more
    recordEnds(verdict);
    if (const std::string failed = checkpoints_.text(); !failed.empty())
        verdict.run.reason += (verdict.run.reason.empty() ? "" : "; ") + failed;
    setup_.hosts.end();
    const bool recorded = !recording_.error();
    if (setup_.server) {
        const ServeCounts counts = setup_.server->counts();
        recording_.log(counts.refused() > 0 ? LogLevel::Warning : LogLevel::Info, "served: " + counts.text());
        setup_.server->release();
    }
    recording_.finish(verdict.run);
    if (recording_.error() && recorded)  // the last of it, when all else had gone well
        verdict.run = {"failed", recording_.error()->text()};
    requests_.ranksEnded();
    if (setup_.server) setup_.server->conclude(verdict.run, requests_.leaveViewers());
    setState(RunState::Ended);
    observer_.ended(verdict.run);
}

}  // namespace shardlab::launch
