// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job_run.h"

#include "engine/launch/stray_processes.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>

namespace shardlab {

namespace {

constexpr int pollMilliseconds = 20;
constexpr std::int64_t milliseconds = 1'000'000;           // ns
constexpr std::int64_t watchInterval = 100 * milliseconds;
// A rank that died ends the run within 3 s even where mpirun does not notice: 0.5 s + 1 s and the clean-up.
constexpr std::int64_t afterLostLink = 500 * milliseconds;
constexpr std::int64_t afterFailure = 1'000 * milliseconds;
constexpr std::int64_t afterTerminate = 1'000 * milliseconds;
constexpr std::int64_t afterGoodbyes = 5'000 * milliseconds;
constexpr std::int64_t afterAbandon = 1'500 * milliseconds;

}  // namespace

JobRun::JobRun(JobSetup setup, JobObserver& observer)
    : setup_(std::move(setup)),
      observer_(observer),
      recording_(std::move(setup_.writer), observer, setup_.arguments.clockOrigin),
      fates_(setup_.ranks.size()) {}

JobRun::~JobRun() {
    abandoned_ = true;
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

void JobRun::setState(JobState state) {
    if (state_.exchange(state) != state) observer_.stateChanged(state);
}

void JobRun::run(std::promise<Status>& started) {
    Result<Process> process = Process::start(setup_.command);
    if (!process) {
        recording_.finish({"failed", process.error().text()});
        setup_.collector->stop();
        started.set_value(fail(process.error()));
        doneWord_.set_value();
        return;
    }
    started.set_value({});
    observer_.stateChanged(JobState::Starting);
    for (const RankRecord& record : setup_.ranks) recording_.rank(record);

    std::optional<ExitStatus> exit;
    while (!exit) {
        takeOutput(process->read(pollMilliseconds));
        receive();
        takeCommands();
        watchRanks();
        recording_.flushWhenDue();
        if (recording_.error()) endWithin(0, "the run file cannot be written");
        endWhenDue(*process);
        exit = process->exitStatus();
    }
    cleanUp(*process);
    conclude(*exit);
    doneWord_.set_value();
}

void JobRun::receive() {
    for (const InboxItem& item : setup_.inbox->take())
        std::visit([this](const auto& content) { take(content); }, item);
}

void JobRun::take(const RankHello& hello) {
    RankFate& fate = fates_[static_cast<std::size_t>(hello.rank)];
    fate.joined = true;
    fate.lostAt.reset();
    RankRecord& record = setup_.ranks[static_cast<std::size_t>(hello.rank)];
    record.pid = hello.pid;
    record.host = hello.host;
    recording_.rank(record);
    const bool allJoined = std::all_of(fates_.begin(), fates_.end(), [](const RankFate& rank) { return rank.joined; });
    if (allJoined && state_ == JobState::Starting) setState(JobState::Running);
}

void JobRun::take(const RankGoodbye& goodbye) {
    fates_[static_cast<std::size_t>(goodbye.rank)].goodbye = goodbye.end;
    RankRecord& record = setup_.ranks[static_cast<std::size_t>(goodbye.rank)];
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
            recording_.log({recording_.now(), said->rank, said->error ? LogLevel::Warning : LogLevel::Info, said->text});
            continue;
        }
        report_.read(line.text);
        if (line.text.find_first_not_of("- \t\r") != std::string::npos)
            recording_.log(LogLevel::Info, line.text);
    }
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
        recording_.events(std::span(&event, 1));
        setup_.collector->send(command);
        if (command != Command::Stop) continue;
        stopRequested_ = true;
        // No rank listens yet: there is no step boundary to wait for.
        if (state_ == JobState::Starting) endWithin(0, "stopped while ranks were starting", Cause::Request);
        setState(JobState::Stopping);
    }
    if (abandoned_) endWithin(afterAbandon, "the launcher is closing", Cause::Request);
}

void JobRun::watchRanks() {
    if (recording_.now() - watchedAt_ < watchInterval) return;
    watchedAt_ = recording_.now();
    for (const RankFate& fate : fates_)
        if (fate.lostAt && recording_.now() - *fate.lostAt > afterLostLink) endWithin(0, "a rank died");
    if (state_ != JobState::Running && state_ != JobState::Paused) return;
    if (const Result<RankStatus> status = readStatus(setup_.arguments.statusFile(0)))
        setState(status->phase == RankPhase::Paused ? JobState::Paused : JobState::Running);
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
        killAt_ = now + afterTerminate;
    }
    if (killRequested_ || (killAt_ && now >= *killAt_)) {
        process.signal(SIGKILL);
        killProcesses(processesOfJob(setup_.folder.path()));
    }
}

/// Leaves no process of the job, and hands over what ranks had recorded but could not send any more.
void JobRun::cleanUp(Process& process) {
    takeOutput(process.readRest());
    const std::int64_t giveUp = recording_.now() + afterTerminate;
    for (std::vector<int> left = processesOfJob(setup_.folder.path()); !left.empty() && recording_.now() < giveUp;
         left = processesOfJob(setup_.folder.path())) {
        killProcesses(left);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    setup_.inbox->lift();
    receive();
    for (std::size_t rank = 0; rank < fates_.size(); ++rank) {
        if (fates_[rank].goodbye || !fates_[rank].joined) continue;
        const int number = static_cast<int>(rank);
        if (const Status done = setup_.collector->recover(number, setup_.arguments.spoolFile(number)); !done)
            recording_.log(LogLevel::Warning, done.error().text());
    }
    setup_.collector->stop();
    receive();
}

void JobRun::conclude(const ExitStatus& mpirun) {
    for (std::size_t rank = 0; rank < fates_.size(); ++rank)
        if (const Result<RankStatus> status = readStatus(setup_.arguments.statusFile(static_cast<int>(rank))))
            fates_[rank].status = *status;
    const CollectorCounts counts = setup_.collector->counts();
    if (const std::int64_t refused = counts.wrongToken + counts.garbage + counts.oversized + counts.slowHandshake)
        recording_.log(LogLevel::Warning,
                       fmt::format("refused on the run's socket: {} wrong tokens, {} frames of garbage, {} oversized "
                                   "frames, {} slow handshakes",
                                   counts.wrongToken, counts.garbage, counts.oversized, counts.slowHandshake));

    const bool endedOnRequest = killAt_ && terminateCause_ == Cause::Request;
    JobFate fate{mpirun, report_, killRequested_ || endedOnRequest, recording_.error()};
    if (fate.recordError)
        fate.recordError->legal = "The run was ended; what was recorded before can be read";
    Verdict verdict = judge(fates_, fate);
    for (std::size_t rank = 0; rank < fates_.size(); ++rank) {
        setup_.ranks[rank].end = verdict.ranks[rank];
        recording_.rank(setup_.ranks[rank]);
    }
    recording_.finish(verdict.run);
    if (recording_.error() && !fate.recordError)  // the last of it, when all else had gone well
        verdict.run = {"failed", recording_.error()->text()};
    setState(JobState::Ended);
    observer_.ended(verdict.run);
}

}  // namespace shardlab
