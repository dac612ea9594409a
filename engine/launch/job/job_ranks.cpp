// SPDX-License-Identifier: Apache-2.0
// What the ranks of a job say, and what is seen of them from outside while they run.
#include "engine/launch/job/job_run.h"

#include "engine/base/clock.h"
#include "engine/trace/record/flight_record.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace shardlab::launch {

namespace {

constexpr std::int64_t clockInterval = 1'000 * nsPerMillisecond;
constexpr std::int64_t clockRecordInterval = 5'000 * nsPerMillisecond;
constexpr std::int64_t watchInterval = 100 * nsPerMillisecond;
constexpr std::int64_t stopInterval = 1'000 * nsPerMillisecond;
constexpr std::size_t flightLines = 16;  ///< the last of each rank's
// A rank that died ends the run within 3 s even where mpirun does not notice: 0.5 s + 1 s and the clean-up.
constexpr std::int64_t afterLostLink = 500 * nsPerMillisecond;
constexpr std::int64_t afterFailure = 1'000 * nsPerMillisecond;
constexpr std::int64_t afterGoodbyes = 5'000 * nsPerMillisecond;

}  // namespace

/// Tells ranks how the clocks of their hosts go, and records it now and then.
void JobRun::trackHosts() {
    clocks_.trackedAt = recording_.now();
    // What ranks go by and what is recorded is one reading: another, a moment later, may be more certain than theirs.
    const std::vector<HostClock> measured = setup_.hosts.clocks();
    for (const RunHosts::RankClock& clock : setup_.hosts.rankClocks(measured, setup_.arguments.clockOrigin))
        setup_.collector->setClock(clock.rank, clock.line);
    if (!clocks_.all.empty() && clocks_.trackedAt - clocks_.recordedAt < clockRecordInterval) return;
    clocks_.recordedAt = clocks_.trackedAt;
    for (const HostClock& clock : measured) clocks_.all.add(clock);
    if (!measured.empty()) recording_.clocksMeasured(clocks_.all.all());
}

void JobRun::receive() {
    for (RankMessage& message : setup_.collector->take())
        std::visit([this](auto& content) { take(std::move(content)); }, message);
}

void JobRun::take(const RankHello& hello) {
    RankFate& fate = attempt_.fates[static_cast<std::size_t>(hello.rank)];
    fate.joined = true;
    fate.lostAt.reset();
    RankRecord& record = recordOf(hello.rank);
    record.pid = hello.pid;
    record.host = hello.host;
    record.end.clear();
    recording_.rankChanged(record);
    const bool allJoined =
        std::all_of(attempt_.fates.begin(), attempt_.fates.end(), [](const RankFate& rank) { return rank.joined; });
    if (allJoined && starting()) setState(RunState::Running);
}

void JobRun::take(const RankName& name) {
    attempt_.names[static_cast<std::size_t>(name.rank)][name.name.number] = names_.numberOf(name.name.text);
}

void JobRun::take(LogLine line) {
    if (line.rank >= 0) line.rank = setup_.world.placeOf(line.rank);
    checkpoints_.add(line);
    recording_.logged(line);
}

void JobRun::take(std::vector<Event> events) {
    for (Event& event : events) {
        if (const std::uint32_t own = nameNumber(event.action); own != 0) {
            const auto& names = attempt_.names[static_cast<std::size_t>(event.rank)];
            const auto known = names.find(own);
            event.action = known == names.end() ? 0 : namedId(known->second);
        }
        event.rank = static_cast<std::int16_t>(setup_.world.placeOf(event.rank));
        if (event.kind == EventKind::Step) {
            attempt_.watchdog.measured(toSeconds(event.end - event.begin));
            trained_ = attempt_.stepped = true;
        }
        if (event.kind == EventKind::InjectedFault) takeInjectedFault(event);
    }
    recording_.eventsArrived(std::move(events));
}

void JobRun::take(const RankGoodbye& goodbye) {
    attempt_.watchdog.ended(goodbye.rank);
    attempt_.fates[static_cast<std::size_t>(goodbye.rank)].goodbye = goodbye.end;
    RankRecord& record = recordOf(goodbye.rank);
    record.end = goodbye.end;
    recording_.rankChanged(record);
    if (goodbye.end != "finished" && goodbye.end != "stopped") endWithin(afterFailure, "a rank failed");
    if (std::all_of(attempt_.fates.begin(), attempt_.fates.end(),
                    [](const RankFate& rank) { return rank.goodbye.has_value(); }))
        endWithin(afterGoodbyes, "mpirun does not end though all ranks have");
}

void JobRun::take(const RankLinkLost& lost) {
    RankFate& fate = attempt_.fates[static_cast<std::size_t>(lost.rank)];
    if (!fate.goodbye) fate.lostAt = recording_.now();
}

void JobRun::takeOutput(const std::vector<OutputLine>& lines) {
    for (const OutputLine& line : lines) {
        if (const std::optional<RankLine> said = parseTagged(line.text)) {
            take(LogLine{recording_.now(), said->rank, said->error ? LogLevel::Warning : LogLevel::Info, said->text});
            continue;
        }
        if (const std::string said = attempt_.report.read(line.text); !said.empty())
            recording_.log(LogLevel::Info, said);
    }
    // Open MPI 4's may wait for ever for a lock of shared memory that a rank held as it was killed while starting.
    if (attempt_.report.rank() >= 0) endWithin(afterFailure, "it has told of a rank's death and goes on");
}

void JobRun::watchRanks() {
    if (recording_.now() - watchedAt_ < watchInterval) return;
    watchedAt_ = recording_.now();
    takeRequest();
    const bool interrupted = setup_.hosts.interrupted();
    for (std::size_t rank = 0; rank < attempt_.fates.size() && !interrupted; ++rank) {
        const std::optional<std::int64_t>& lostAt = attempt_.fates[rank].lostAt;
        if (lostAt && recording_.now() - *lostAt > afterLostLink && setup_.hosts.mayBeGone(static_cast<int>(rank)))
            endWithin(0, "a rank died");
    }
    if (recording_.now() - clocks_.trackedAt > clockInterval) trackHosts();
    if (const std::string lost = setup_.hosts.lost(); !lost.empty() && attempt_.cutOff.empty()) {
        attempt_.cutOff = lost;
        recording_.log(LogLevel::Error, lost);
        endWithin(0, "a host is cut off");
    }
    for (std::size_t rank = 0; rank < attempt_.fates.size(); ++rank) {
        const Result<RankStatus> status = setup_.hosts.status(setup_.arguments, static_cast<int>(rank));
        if (!status) continue;
        attempt_.watchdog.see(static_cast<int>(rank), *status);
        if (rank == 0 && (state_ == RunState::Running || state_ == RunState::Paused))
            setState(status->phase == RankPhase::Paused ? RunState::Paused : RunState::Running);
    }
    if (starting() && !attempt_.end.due)
        if (const std::string late = attempt_.lateStart.look(recording_.now(), attempt_.fates, setup_.hosts.names());
            !late.empty())
            recording_.log(LogLevel::Warning, late);
    if (interrupted) return;  // ranks there are out of sight, and others may wait for them
    const std::optional<Hang> hang = attempt_.watchdog.judge(recording_.now());
    if (hang && !attempt_.hung && !attempt_.end.due && !requests_.killed()) report(*hang);
}

/// Nobody hears of a stopped process otherwise: mpirun's own is beyond the watchdog, and so is a rank's that has yet to
/// join.
void JobRun::noticeStopped(const Process& process) {
    if (recording_.now() - lookedForStopsAt_ < stopInterval) return;
    lookedForStopsAt_ = recording_.now();
    std::vector<int> processes{process.pid()};
    if (starting()) {
        processes = processesOfJob(setup_.folder.path());
        // Those on other hosts are not seen from here.
        const bool there = !setup_.hosts.names().empty() || isStopped(process.pid()) ||
                           std::ranges::any_of(processes, [&](int each) { return each != process.pid(); });
        if (attempt_.lateStart.isStuck(recording_.now(), there) && !attempt_.end.due) {
            attempt_.stuck = true;
            endWithin(0, "it has started no rank for five minutes");
        }
    }
    for (const int each : stopped_.look(std::move(processes)))
        recording_.log(LogLevel::Warning,
                       fmt::format("{} (process {}) is stopped by a signal{}; kill -CONT {} lets it go on",
                                   each == process.pid() ? "mpirun" : "a rank", each,
                                   starting() ? ", and ranks cannot start before it goes on" : "", each));
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
    attempt_.hung = HungRank{hang.rank, toText(hang, evidence)};
    Event fault = launcherEvent(EventKind::Fault, recording_.now());
    fault.value = hang.seconds;
    fault.action = status.action;
    fault.step = status.step;
    fault.rank = static_cast<std::int16_t>(setup_.world.placeOf(hang.rank));
    recording_.eventsArrived({fault});
    take(LogLine{recording_.now(), hang.rank, LogLevel::Error, "hangs: the run is ended"});
    for (const Hang::Wait& wait : hang.ranks) {
        attempt_.fates[static_cast<std::size_t>(wait.rank)].status = wait.status;
        take(LogLine{recording_.now(), wait.rank, LogLevel::Info, toText(wait)});
    }
    endWithin(0, "a rank hangs");
}

void JobRun::recordFlight() {
    for (std::size_t rank = 0; rank < attempt_.fates.size(); ++rank) {
        const auto flight = setup_.hosts.flight(setup_.arguments, static_cast<int>(rank));
        if (!flight) continue;
        for (std::size_t i = flight->size() - std::min(flight->size(), flightLines); i < flight->size(); ++i)
            take(LogLine{recording_.now(), static_cast<int>(rank), LogLevel::Info,
                         std::string(flightPrefix) + toText((*flight)[i], recording_.now())});
    }
}

}  // namespace shardlab::launch
