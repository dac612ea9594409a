// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/job_run.h"

#include "engine/launch/job/mpirun.h"
#include "engine/launch/job/stray_processes.h"
#include "engine/trace/record/flight_record.h"
#include "engine/base/nanoseconds.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>

namespace shardlab {

namespace {

constexpr int pollMilliseconds = 20;
constexpr std::int64_t clockInterval = 1'000 * nsPerMillisecond;
constexpr std::int64_t clockRecordInterval = 5'000 * nsPerMillisecond;
constexpr std::chrono::milliseconds killPatience{1500};
constexpr std::int64_t watchInterval = 100 * nsPerMillisecond;
constexpr std::int64_t stopInterval = 1'000 * nsPerMillisecond;
constexpr std::size_t flightLines = 16;  // of each rank
// A rank that died ends the run within 3 s even where mpirun does not notice: 0.5 s + 1 s and the clean-up.
constexpr std::int64_t afterLostLink = 500 * nsPerMillisecond;
constexpr std::int64_t afterFailure = 1'000 * nsPerMillisecond;
constexpr std::int64_t afterTerminate = 1'000 * nsPerMillisecond;
constexpr std::int64_t afterGoodbyes = 5'000 * nsPerMillisecond;
constexpr std::int64_t afterAbandon = 1'500 * nsPerMillisecond;

}  // namespace

JobRun::JobRun(JobSetup setup, RunObserver& observer)
    : setup_(std::move(setup)), observer_(observer),
      recording_(std::move(setup_.writer), observer, setup_.arguments.clockOrigin), fates_(setup_.ranks.size()),
      watchdog_(setup_.watch), faults_(injectedFaults(setup_.world.whole().run.faults)) {}

JobRun::~JobRun() {
    abandoned_ = leaveViewers_ = true;
    if (thread_.joinable()) thread_.join();
}

Status JobRun::begin() {
    std::promise<Status> started;
    std::future<Status> word = started.get_future();
    // mpirun is started by this thread and not by the caller's: the kernel ends it when its starter ends.
    thread_ = std::thread([this, started = std::move(started)]() mutable { run(started); });
    return word.get();
}

void JobRun::send(Command command) {
    const std::lock_guard lock(mutex_);
    commands_.push_back(command);
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
        for (const RankRecord& record : setup_.ranks) recording_.rank(record);
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
            if (killRequested_ || stopRequested_ || abandoned_)
                verdict.run = {"stopped", "stopped on request, while ranks were starting again"};
            else
                verdict.run = {"failed", (next->asked ? "" : verdict.run.reason + "; ") +
                                             "not restarted: " + again.error().text()};
        }
        conclude(std::move(verdict));
        break;
    }
    doneWord_.set_value();
}

/// Returns when ranks may be started on all hosts. Error: why not, or that it is not wanted any more.
Status JobRun::reachHosts() {
    if (const Status called = setup_.hosts.call(setup_.arguments); !called) return called;
    for (;;) {
        const Result<bool> ready = setup_.hosts.ready();
        if (!ready) return fail(ready.error());
        takeCommands();
        if (killRequested_ || terminateAt_) return fail(Error{"stopped while hosts were called", {}, {}, {}});
        if (*ready) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(pollMilliseconds));
    }
    if (const std::string unshared = setup_.hosts.unshared(); !unshared.empty())
        recording_.log(LogLevel::Warning, unshared + ": this run can take no checkpoint");
    trackHosts();
    return {};
}

/// Clocks of other hosts: to their ranks, and into the run.
void JobRun::trackHosts() {
    clocksAt_ = recording_.now();
    for (const RunHosts::RankClock& clock : setup_.hosts.rankClocks())
        setup_.collector->setClock(clock.rank, clock.line);
    if (!clocks_.empty() && clocksAt_ - clocksRecordedAt_ < clockRecordInterval) return;
    clocksRecordedAt_ = clocksAt_;
    const std::vector<HostClock> measured = setup_.hosts.clocks();
    for (const HostClock& clock : measured) clocks_.add(clock);
    if (!measured.empty()) recording_.clocks(clocks_.all());
}

ExitStatus JobRun::follow(Process& process) {
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

void JobRun::receive() {
    for (RankMessage& message : setup_.collector->take())
        std::visit([this](auto& content) { take(std::move(content)); }, message);
}

void JobRun::take(const RankHello& hello) {
    RankFate& fate = fates_[static_cast<std::size_t>(hello.rank)];
    fate.joined = true;
    fate.lostAt.reset();
    RankRecord& record = recordOf(hello.rank);
    record.pid = hello.pid;
    record.host = hello.host;
    record.end.clear();
    recording_.rank(record);
    const bool allJoined = std::all_of(fates_.begin(), fates_.end(), [](const RankFate& rank) { return rank.joined; });
    if (allJoined && (state_ == RunState::Starting || state_ == RunState::Restarting)) setState(RunState::Running);
}

void JobRun::take(LogLine line) {
    if (line.rank >= 0) line.rank = setup_.world.placeOf(line.rank);
    checkpoints_.add(line);
    recording_.log(line);
}

void JobRun::take(std::vector<Event> events) {
    for (Event& event : events) {
        event.rank = static_cast<std::int16_t>(setup_.world.placeOf(event.rank));
        if (event.kind == EventKind::Step) {
            watchdog_.measured(static_cast<double>(event.end - event.begin) * 1e-9);
            trained_ = stepped_ = true;
        }
        if (event.kind == EventKind::InjectedFault) takeInjectedFault(event);
    }
    recording_.events(std::move(events));
}

void JobRun::take(const RankGoodbye& goodbye) {
    watchdog_.ended(goodbye.rank);
    fates_[static_cast<std::size_t>(goodbye.rank)].goodbye = goodbye.end;
    RankRecord& record = recordOf(goodbye.rank);
    record.end = goodbye.end;
    recording_.rank(record);
    if (goodbye.end != "finished" && goodbye.end != "stopped") endWithin(afterFailure, "a rank failed");
    if (std::all_of(fates_.begin(), fates_.end(), [](const RankFate& rank) { return rank.goodbye.has_value(); }))
        endWithin(afterGoodbyes, "mpirun does not end though all ranks have");
}

void JobRun::take(const RankLinkLost& lost) {
    RankFate& fate = fates_[static_cast<std::size_t>(lost.rank)];
    if (!fate.goodbye) fate.lostAt = recording_.now();
}

void JobRun::takeOutput(const std::vector<OutputLine>& lines) {
    for (const OutputLine& line : lines) {
        if (const std::optional<RankLine> said = parseTagged(line.text)) {
            take(LogLine{recording_.now(), said->rank, said->error ? LogLevel::Warning : LogLevel::Info, said->text});
            continue;
        }
        if (const std::string said = report_.read(line.text); !said.empty()) recording_.log(LogLevel::Info, said);
    }
    // Open MPI 4's may wait for ever for a lock of shared memory that a rank held as it was killed while starting.
    if (report_.rank() >= 0) endWithin(afterFailure, "it has told of a rank's death, and stays");
}

void JobRun::takeCommands() {
    std::vector<Command> commands;
    {
        const std::lock_guard lock(mutex_);
        commands.swap(commands_);
    }
    if (abandoned_ && !stopRequested_) commands.push_back(Command::Stop);
    for (Command command : commands) {
        Event event;
        event.begin = event.end = recording_.now();
        event.lane = Lane::Host;
        event.kind = EventKind::Command;
        event.value = static_cast<double>(command);
        recording_.events({event});
        if (const std::string unshared = setup_.hosts.unshared(); command == Command::Checkpoint && !unshared.empty()) {
            recording_.log(LogLevel::Error, "no checkpoint is taken: " + unshared);
            continue;
        }
        setup_.collector->send(command);
        if (command == Command::Pause || command == Command::Resume) pauseRequested_ = command == Command::Pause;
        if (command != Command::Stop) continue;
        stopRequested_ = true;
        // No rank listens yet: there is no step boundary to wait for.
        if (state_ == RunState::Starting || state_ == RunState::Restarting)
            endWithin(0, "stopped while ranks were starting", Cause::Request);
        setState(RunState::Stopping);
    }
    if (abandoned_) endWithin(afterAbandon, "the launcher is closing", Cause::Request);
}

void JobRun::watchRanks() {
    if (recording_.now() - watchedAt_ < watchInterval) return;
    watchedAt_ = recording_.now();
    takeRequest();
    const bool interrupted = setup_.hosts.interrupted();
    for (std::size_t rank = 0; rank < fates_.size() && !interrupted; ++rank) {
        const std::optional<std::int64_t>& lostAt = fates_[rank].lostAt;
        if (lostAt && recording_.now() - *lostAt > afterLostLink && setup_.hosts.mayBeGone(static_cast<int>(rank)))
            endWithin(0, "a rank died");
    }
    if (recording_.now() - clocksAt_ > clockInterval) trackHosts();
    if (const std::string lost = setup_.hosts.lost(); !lost.empty() && cutOff_.empty()) {
        cutOff_ = lost;
        recording_.log(LogLevel::Error, lost);
        endWithin(0, "a host is cut off");
    }
    for (std::size_t rank = 0; rank < fates_.size(); ++rank) {
        const Result<RankStatus> status = setup_.hosts.status(setup_.arguments, static_cast<int>(rank));
        if (!status) continue;
        watchdog_.see(static_cast<int>(rank), *status);
        if (rank == 0 && (state_ == RunState::Running || state_ == RunState::Paused))
            setState(status->phase == RankPhase::Paused ? RunState::Paused : RunState::Running);
    }
    if (interrupted) return;  // ranks there are out of sight, and others may wait for them
    const std::optional<Hang> hang = watchdog_.judge(recording_.now());
    if (hang && !hung_ && !terminateAt_ && !killRequested_) report(*hang);
}

/// A stopped process tells nobody of it: mpirun's is found by no watchdog, and that of a rank which has yet to join is
/// not seen.
void JobRun::noticeStopped(const Process& process) {
    const bool starting = state_ == RunState::Starting || state_ == RunState::Restarting;
    if (recording_.now() - lookedForStopsAt_ < stopInterval) return;
    lookedForStopsAt_ = recording_.now();
    std::vector<int> stopped = starting ? processesOfJob(setup_.folder.path()) : std::vector<int>{process.pid()};
    std::erase_if(stopped, [](int each) { return !isStopped(each); });
    for (const int each : stopped) {
        if (std::ranges::find(stopped_, each) != stopped_.end()) continue;
        recording_.log(LogLevel::Warning,
                       fmt::format("{} (process {}) is stopped by a signal{}; kill -CONT {} lets it go on",
                                   each == process.pid() ? "mpirun" : "a rank", each,
                                   starting ? ", and ranks cannot start before it goes on" : "", each));
    }
    stopped_ = std::move(stopped);
}

void JobRun::report(const Hang& hang) {
    const RankStatus& status = hang.status();
    HangEvidence evidence;
    evidence.stopped = setup_.hosts.isStopped(hang.rank, status);
    if (const auto flight = setup_.hosts.flight(setup_.arguments, hang.rank);
        flight && hang.cause == Hang::Cause::Missing) {
        const int step = hang.ranks[static_cast<std::size_t>(hang.missing.receiver)].status.step;
        evidence.sent = std::ranges::any_of(*flight, [&](const FlightEntry& entry) {
            return entry.action == actionId(hang.missing.send) && entry.step == step;
        });
    }
    hung_ = HungRank{hang.rank, toText(hang, evidence)};
    Event fault;
    fault.begin = fault.end = recording_.now();
    fault.value = hang.seconds;
    fault.action = status.action;
    fault.step = status.step;
    fault.rank = static_cast<std::int16_t>(setup_.world.placeOf(hang.rank));
    fault.lane = Lane::Host;
    fault.kind = EventKind::Fault;
    recording_.events({fault});
    take(LogLine{recording_.now(), hang.rank, LogLevel::Error, "hangs: the run is ended"});
    for (const Hang::Wait& wait : hang.ranks) {
        fates_[static_cast<std::size_t>(wait.rank)].status = wait.status;
        take(LogLine{recording_.now(), wait.rank, LogLevel::Info, toText(wait)});
    }
    endWithin(0, "a rank hangs");
}

void JobRun::recordFlight() {
    for (std::size_t rank = 0; rank < fates_.size(); ++rank) {
        const auto flight = setup_.hosts.flight(setup_.arguments, static_cast<int>(rank));
        if (!flight) continue;
        for (std::size_t i = flight->size() - std::min(flight->size(), flightLines); i < flight->size(); ++i)
            take(LogLine{recording_.now(), static_cast<int>(rank), LogLevel::Info,
                         std::string(flightPrefix) + toText((*flight)[i], recording_.now())});
    }
}

void JobRun::endWithin(std::int64_t nanoseconds, const char* why, Cause cause) {
    const std::int64_t at = recording_.now() + nanoseconds;
    if (terminateAt_ && *terminateAt_ <= at) return;
    terminateAt_ = at;
    terminateWhy_ = why;
    terminateCause_ = cause;
}

void JobRun::endWhenDue(Process& process) {
    const std::int64_t now = recording_.now();
    if (terminateAt_ && now >= *terminateAt_ && !killAt_) {
        recording_.log(LogLevel::Info, fmt::format("ending mpirun: {}", terminateWhy_));
        process.signal(SIGTERM);
        endedAt_ = now;
        killAt_ = now + afterTerminate;
    }
    if (killRequested_ || (killAt_ && now >= *killAt_)) {
        if (!endedAt_) endedAt_ = now;
        process.signal(SIGKILL);
        killProcesses(processesOfJob(setup_.folder.path()));
        setup_.hosts.kill(std::chrono::milliseconds(0));
    }
}

/// Leaves no process of the job, and hands over what ranks had recorded but could not send any more.
void JobRun::cleanUp(Process& process) {
    takeOutput(process.readRest());
    if (const std::string cut = report_.rest(); !cut.empty()) recording_.log(LogLevel::Info, cut);
    const std::int64_t giveUp = recording_.now() + afterTerminate;
    for (std::vector<int> left = processesOfJob(setup_.folder.path()); !left.empty() && recording_.now() < giveUp;
         left = processesOfJob(setup_.folder.path())) {
        killProcesses(left);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    receive();
    if (cutOff_.empty()) cutOff_ = setup_.hosts.silent();
    setup_.hosts.kill(killPatience);
    receive();
    for (std::size_t rank = 0; rank < fates_.size(); ++rank) {
        if (fates_[rank].goodbye || !fates_[rank].joined) continue;
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
    for (std::size_t rank = 0; rank < fates_.size() && !hung_; ++rank)
        if (const Result<RankStatus> status = setup_.hosts.status(setup_.arguments, static_cast<int>(rank)))
            fates_[rank].status = *status;
    if (const CollectorCounts counts = setup_.collector->counts(); counts.refused() > 0)
        recording_.log(LogLevel::Warning, "refused on the run's socket: " + counts.refusals());

    recording_.settle();
    const bool endedOnRequest = killAt_ && terminateCause_ == Cause::Request;
    if (const HostCounts links = setup_.hosts.counts(); links.refused() > 0)
        recording_.log(LogLevel::Warning, "refused where other hosts connect: " + links.refusals());
    JobFate fate{
        mpirun,  report_, killRequested_ || endedOnRequest, recording_.error(), hung_, cutOff_, setup_.hosts.names(),
        endedAt_};
    if (fate.recordError) fate.recordError->legal = "The run was ended; what was recorded before can be read";
    Verdict verdict = judge(fates_, fate);
    if (verdict.run.outcome == "failed" && setup_.world.renumbered())
        verdict.run.reason += fmt::format(" (of the {} ranks that took part)", setup_.world.ranks());
    if (verdict.run.outcome == "failed" || fate.killRequested) recordFlight();
    return verdict;
}

void JobRun::recordEnds(const Verdict& verdict) {
    for (std::size_t rank = 0; rank < fates_.size(); ++rank) {
        RankRecord& record = recordOf(static_cast<int>(rank));
        record.end = verdict.ranks[rank];
        recording_.rank(record);
    }
}

/// No rank was ever started.
void JobRun::concludeUnstarted(const Error& error) {
    const bool asked = killRequested_ || (terminateAt_ && terminateCause_ == Cause::Request);
    conclude(
        {std::vector<std::string>(fates_.size(), "never started"),
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
    dismissing_ = true;
    if (setup_.server) setup_.server->conclude(verdict.run, leaveViewers_);
    setState(RunState::Ended);
    observer_.ended(verdict.run);
}

}  // namespace shardlab
