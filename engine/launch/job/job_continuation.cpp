// SPDX-License-Identifier: Apache-2.0
// How a run goes on after its ranks have ended: restarts after a fault, and other numbers of replicas.
#include "engine/launch/job/job_run.h"

#include "engine/layout/layout_file.h"
#include "engine/predict/plan/profile.h"

#include <fmt/format.h>
#include <utility>

namespace shardlab::launch {
void JobRun::takeResize() {
    if (resizing_ || stopRequested_ || attempt_.end.due || (state_ != RunState::Running && state_ != RunState::Paused))
        return;
    const int data = requests_.takeReplicas();
    if (data == 0) return;
    Event event = launcherEvent(EventKind::Command, recording_.now());
    event.value = static_cast<double>(Command::Resize);
    event.bytes = data;
    recording_.eventsArrived({event});
    const Layout& whole = setup_.world.whole();
    if (const Status can = canResize(whole, data); !can) return recording_.log(LogLevel::Error, can.error().text());
    if (data == setup_.world.replicas())
        return recording_.log(LogLevel::Info, "asked for " + replicasText(whole, data) + ", which it has");
    if (const std::string unshared = setup_.hosts.unshared(); !unshared.empty())
        return recording_.log(LogLevel::Error, "not resized, as no checkpoint can be taken: " + unshared);
    recording_.log(LogLevel::Info, "asked for " + replicasText(whole, data) + ": the run stops for a checkpoint");
    resizing_ = data;
    setup_.collector->send(Command::Stop);
}

std::optional<JobRun::Continuation> JobRun::continuationAfter(Verdict& verdict) {
    const std::optional<int> asked = std::exchange(resizing_, std::nullopt);
    const bool failed = verdict.run.outcome == "failed";
    if (recording_.error() || unwanted()) return std::nullopt;
    if (!failed && asked && verdict.run.outcome == "stopped") {
        const Result<RestartPoint> point = setup_.restarts.newest(trained_);
        if (point) return Continuation{*point, *asked, true};
        verdict.run = {"failed", fmt::format("not resized: {}", point.error().why)};
        return std::nullopt;
    }
    if (!failed || !setup_.restarts.wanted()) return std::nullopt;
    if (!attempt_.cutOff.empty() && !setup_.world.elastic())
        verdict.run.reason += "; not restarted: all hosts are needed";
    if ((!attempt_.cutOff.empty() && !setup_.world.elastic()) || !trained_) return std::nullopt;
    const std::optional<int> data = replicasAfter(verdict);
    if (!data) return std::nullopt;
    const Result<RestartPoint> point = setup_.restarts.next(attempt_.stepped);
    if (!point) {
        verdict.run.reason += fmt::format("; not restarted: {}", point.error().why);
        return std::nullopt;
    }
    recording_.log(LogLevel::Error, verdict.run.reason);
    return Continuation{*point, *data, false};
}

/// How many replicas can go on where a rank or hosts are lost. A rank whose host is there is tried again where too few
/// would be left without it.
std::optional<int> JobRun::replicasAfter(Verdict& verdict) {
    ElasticWorld& world = setup_.world;
    if (!world.elastic()) return world.replicas();
    ElasticWorld left = world;
    if (!attempt_.cutOff.empty())
        for (const std::string& host : setup_.hosts.missing()) left.loseHost(host);
    else if (verdict.rank >= 0) left.lose(verdict.rank);
    const std::optional<int> data = left.largestLeft();
    if (data) {
        world = left;
        return data;
    }
    if (attempt_.cutOff.empty()) return world.replicas();
    verdict.run.reason +=
        fmt::format("; not restarted: fewer than {} are left", replicasText(world.whole(), world.whole().run.minData));
    return std::nullopt;
}

Result<Process> JobRun::goOn(Continuation next) {
    const ElasticWorld before = setup_.world;
    ElasticWorld& world = setup_.world;
    for (;;) {
        Result<Process> again = startAgain(next);
        if (again || !before.elastic() || unwanted()) return again;
        const std::vector<std::string> missing = setup_.hosts.missing();
        if (next.data > before.replicas()) {  // hosts that were to come back do not: as it was
            recording_.log(LogLevel::Error, fmt::format("not resized to {}: {}", replicasText(world.whole(), next.data),
                                                        again.error().text()));
            world = before;
            next.data = before.replicas();
            continue;
        }
        bool fewer = false;
        for (const std::string& host : missing) fewer = world.loseHost(host) || fewer;
        const std::optional<int> data = world.largestLeft();
        if (!fewer || !data) return again;
        recording_.log(LogLevel::Error, again.error().text());
        next.data = *data;
    }
}

/// Makes ranks, layout and hosts those of so many replicas.
Status JobRun::changeWorld(int data) {
    ElasticWorld& world = setup_.world;
    const auto plan = world.resize(data);
    if (!plan) return fail(plan.error());
    if (const Status saved = saveLayout(world.now(), setup_.arguments.layout); !saved) return saved;
    const int cores = usableCores();
    setup_.arguments.stretch = plan->costs.stretch;
    setup_.arguments.threads = threadsPerRank(world.ranks(), cores);
    setup_.arguments.oversubscribed = world.ranks() > cores;
    setup_.listening.ranks = world.ranks();
    setup_.watch = {plan->mesh, plan->lowered, setup_.watch.deadline, plan->simulation.stepSeconds, false};
    setup_.hosts.change(world.now());
    return {};
}

Result<Process> JobRun::startAgain(const Continuation& next) {
    setState(RunState::Restarting);
    const ElasticWorld before = setup_.world;
    setup_.arguments.resume = next.point.checkpoint;
    setup_.arguments.profile.clear();
    setup_.watch.measures = false;
    if (before.elastic())
        if (const Status changed = changeWorld(next.data); !changed) return fail(changed.error());

    setup_.arguments.faults = setup_.world.started(faults_);
    attempt_ = JobAttempt(setup_.watch);
    // The new ranks have a folder of their own: what those that are gone left in theirs is not taken for them.
    setup_.arguments.folder = RankArguments::attemptFolder(setup_.folder.path(), ++restarts_);
    std::error_code made;
    std::filesystem::create_directory(setup_.arguments.folder, made);
    if (made)
        return fail(
            Error{say("cannot make a folder"), setup_.arguments.folder.string(), systemReason(made.value()), {}});
    setup_.collector->stop();  // it may still be that of a start that came to nothing
    auto collector = Collector::listen(setup_.listening);
    if (!collector) return fail(collector.error());
    setup_.collector = std::move(*collector);
    if (pauseRequested_) setup_.collector->send(Command::Pause);
    if (before.elastic() && setup_.hosts.several())
        if (const Status reached = reachHosts(); !reached) return fail(reached.error());
    setup_.hosts.attempt(restarts_);
    trackHosts();
    recordContinuation(next, before);
    return Process::start(setup_.hosts.command(setup_.arguments));
}

/// Records when the run goes on, from which step, with how many ranks, and why.
void JobRun::recordContinuation(const Continuation& next, const ElasticWorld& before) {
    const ElasticWorld& world = setup_.world;
    const std::string where = next.point.checkpoint.empty() ? "the beginning" : next.point.checkpoint.string();
    std::string how;
    if (world.elastic())
        how =
            fmt::format(" with {}{}", replicasText(world.whole(), world.replicas()),
                        world.replicas() == before.replicas() ? "" : fmt::format(" instead of {}", before.replicas()));
    const std::string what = next.asked ? std::string("resized")
                                        : fmt::format("restart {} of {}", next.point.number, setup_.restarts.most());
    for (const std::string& broken : next.point.broken) recording_.log(LogLevel::Warning, "passed over: " + broken);
    recording_.log(next.asked ? LogLevel::Info : LogLevel::Warning,
                   fmt::format("{}: on from step {}{}, {}", what, next.point.step, how, where));
    if (world.renumbered() && world.replicas() != before.replicas())
        recording_.log(
            LogLevel::Info,
            fmt::format("messages about waiting ranks number them among the {} that take part", world.ranks()));

    Event event = launcherEvent(EventKind::Restart, recording_.now());
    event.step = static_cast<std::int32_t>(next.point.step);
    event.value = next.point.number;
    event.bytes = world.elastic() ? world.ranks() : 0;
    event.rank = -1;
    std::vector<Event> events{event};
    for (const int place : world.absent()) {
        RankRecord& record = setup_.ranks[static_cast<std::size_t>(place)];
        record.end = fmt::format("absent from step {}", next.point.step);
        record.pid = 0;
        recording_.rankChanged(record);
        for (int category = 0; category < memoryCategoryCount; ++category) {
            Event freed = launcherEvent(memoryKind(static_cast<MemoryCategory>(category)), event.begin);
            freed.rank = static_cast<std::int16_t>(place);
            events.push_back(freed);
        }
    }
    recording_.eventsArrived(std::move(events));
}

}  // namespace shardlab::launch
