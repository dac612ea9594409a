// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/rank_ends.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace shardlab::launch {

namespace {

constexpr std::string_view finished = "finished";
constexpr std::string_view stopped = "stopped";

bool endedInOrder(const RankFate& rank) {
    return rank.goodbye && (*rank.goodbye == finished || *rank.goodbye == stopped);
}

std::string withPlace(const std::string& what, const RankFate& rank) {
    const std::string place = whereabouts(rank.status);
    return place.empty() ? what : what + " " + place;
}

std::string endOf(int number, const RankFate& rank, const JobFate& job) {
    if (rank.goodbye) return *rank.goodbye;
    if (job.hung) return withPlace(job.hung->rank == number ? "hung" : "ended with the run", rank);
    if (!job.killRequested && job.report.rank() == number) {
        if (job.report.signal()) return withPlace("killed by " + signalName(*job.report.signal()), rank);
        if (job.report.exitCode())
            return withPlace(fmt::format("ended with exit code {}", *job.report.exitCode()), rank);
        return withPlace("aborted", rank);
    }
    if (!rank.joined && !rank.status) return "never started";
    return withPlace("ended with the run", rank);
}

/// mpirun ended by itself with the exit code that it has after SIGTERM, SIGINT or SIGHUP, when it ends all ranks and
/// tells of nothing. A rank that ended it would have been named, and mpirun's own failures have a message.
bool endedNamingNone(const JobFate& job) {
    constexpr int ownExitCode = 1;
    return !job.mpirun.signalled && job.mpirun.code == ownExitCode && job.report.rank() < 0;
}

/// Whether mpirun ended, and with it all ranks, none of which is to blame.
bool mpirunEndedFirst(std::span<const RankFate> ranks, const JobFate& job) {
    if (!job.report.lostHost().empty()) return true;
    if (!job.endedAt) return job.mpirun.signalled || endedNamingNone(job);
    // The launcher came to end mpirun as well. Had a rank died alone, mpirun would have named it, or others would have
    // been there still.
    return endedNamingNone(job) && std::ranges::all_of(ranks, [&](const RankFate& rank) {
               return endedInOrder(rank) || (rank.lostAt && *rank.lostAt <= *job.endedAt);
           });
}

/// The rank whose link was the first seen to break; -1: none did.
int firstLost(std::span<const RankFate> ranks) {
    int first = -1;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (ranks[i].lostAt && (first < 0 || *ranks[i].lostAt < *ranks[static_cast<std::size_t>(first)].lostAt))
            first = static_cast<int>(i);
    return first;
}

/// Whether a connection joins the two ranks, which MPI aborts where it breaks: ranks of one host share memory.
bool onTwoHosts(const JobFate& job, int one, int other) {
    const auto host = [&](int rank) { return job.hosts[static_cast<std::size_t>(rank)]; };
    return std::max(one, other) < static_cast<int>(job.hosts.size()) && host(one) != host(other);
}

/// The rank that ended the run: it said why itself, mpirun named it, or its link was the first seen to break. A rank
/// that mpirun names without a signal may be the neighbour of one that died on another host: then the link of the dead
/// one broke before. On one host the links of all break together, as mpirun ends them, and are seen in any order.
int culprit(std::span<const RankFate> ranks, const JobFate& job) {
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (ranks[i].goodbye && !endedInOrder(ranks[i])) return static_cast<int>(i);
    const int lost = firstLost(ranks);
    if (const int named = job.report.rank();
        named >= 0 && named < static_cast<int>(ranks.size()) && !endedInOrder(ranks[static_cast<std::size_t>(named)])) {
        const std::optional<std::int64_t>& lostAt = ranks[static_cast<std::size_t>(named)].lostAt;
        const bool before = lostAt && *ranks[static_cast<std::size_t>(lost)].lostAt < *lostAt;
        return before && !job.report.signal() && onTwoHosts(job, lost, named) ? lost : named;
    }
    return mpirunEndedFirst(ranks, job) ? -1 : lost;
}

/// mpirun ends with 128 + the signal that ended a rank, also where it does not come to name the rank; or with 128 + a
/// signal that it got itself.
std::optional<int> signalTold(const ExitStatus& mpirun) {
    constexpr int afterSignal = 128;
    const int signal = mpirun.code - afterSignal;
    if (mpirun.signalled || signal <= 0 || signal >= NSIG || signal == SIGTERM || signal == SIGINT) return std::nullopt;
    return signal;
}

bool starting(std::span<const RankFate> ranks) { return std::ranges::none_of(ranks, &RankFate::joined); }

/// When something happened to all ranks, as the end of a sentence.
std::string momentOf(std::span<const RankFate> ranks) {
    if (starting(ranks)) return " while ranks were starting";
    const std::optional<RankStatus>& first = ranks.front().status;
    const std::string place = whereabouts(first);
    if (place.empty()) return {};
    return (first->step < 0 ? " " : "; rank 0 was ") + place;
}

std::string failureReason(std::span<const RankFate> ranks, const JobFate& job, const std::vector<std::string>& ends) {
    if (const int rank = culprit(ranks, job); rank >= 0) {
        const RankFate& fate = ranks[static_cast<std::size_t>(rank)];
        const std::string& end = ends[static_cast<std::size_t>(rank)];
        const std::string who = static_cast<std::size_t>(rank) < job.hosts.size()
                                    ? fmt::format("rank {} on host {}", rank, job.hosts[static_cast<std::size_t>(rank)])
                                    : fmt::format("rank {}", rank);
        if (fate.goodbye) return fmt::format("{}: {}", who, end);
        if (job.report.rank() == rank) return fmt::format("{} {}{}", who, job.report.signal() ? "was " : "", end);
        return fmt::format("{} {}", who, withPlace("died", fate));
    }
    if (job.stuck) return "mpirun started no rank for five minutes, as if a signal had stopped it half-way";
    // The mpirun of Open MPI 5 ends with exit code 0 after it has lost a daemon, so that its end names no signal.
    if (const std::string& host = job.report.lostHost(); !host.empty())
        return fmt::format("mpirun lost its daemon on host {}, and with it the ranks there{}", host, momentOf(ranks));
    if (job.mpirun.signalled) return "mpirun was killed by " + job.mpirun.text() + momentOf(ranks);
    if (endedNamingNone(job) && !job.report.spoke())
        return "mpirun was ended by a signal from outside (SIGTERM, SIGINT or SIGHUP)" + momentOf(ranks);
    if (const std::optional<int> signal = signalTold(job.mpirun)) {
        return fmt::format("a rank was killed by {}{}; mpirun does not say which", signalName(*signal),
                           starting(ranks) ? " while ranks were starting" : "");
    }
    if (!job.report.message().empty())
        return fmt::format("mpirun failed ({}): {}", job.mpirun.text(), job.report.message());
    if (job.mpirun.success()) return "ranks ended without a word";
    return fmt::format("mpirun failed ({})", job.mpirun.text());
}

}  // namespace

std::string whereabouts(const std::optional<RankStatus>& status) {
    if (!status) return {};
    if (status->step < 0) return status->phase == RankPhase::Setup ? "during setup" : "while starting";
    std::string place = fmt::format("at step {}", status->step);
    if (status->action != 0) {
        place += " in " + toText(actionFromId(status->action));
        if (status->phase == RankPhase::Waiting && status->peer >= 0)
            place += fmt::format(", waiting for rank {}", status->peer);
    }
    if (status->phase >= RankPhase::BetweenSteps) place += fmt::format(", {}", name(status->phase));
    return place;
}

Verdict judge(std::span<const RankFate> ranks, const JobFate& job) {
    Verdict verdict;
    for (std::size_t i = 0; i < ranks.size(); ++i) verdict.ranks.push_back(endOf(static_cast<int>(i), ranks[i], job));

    const auto said = [&](std::string_view word) {
        return [word](const RankFate& rank) { return rank.goodbye && *rank.goodbye == word; };
    };
    if (job.recordError) {
        verdict.run = {"failed", job.recordError->text()};
    } else if (std::all_of(ranks.begin(), ranks.end(), said(finished))) {
        verdict.run = {std::string(finished), {}};
    } else if (std::all_of(ranks.begin(), ranks.end(), endedInOrder)) {
        verdict.run = {std::string(stopped), "stopped on request"};
    } else if (!job.cutOff.empty() && !job.killRequested) {
        verdict.run = {"failed", job.cutOff};
    } else if (job.hung) {
        verdict.run = {"failed", job.hung->report};
    } else if (job.killRequested) {
        verdict.run = {std::string(stopped), withPlace("killed on request", ranks.front())};
    } else {
        verdict.run = {"failed", failureReason(ranks, job, verdict.ranks)};
    }
    if (verdict.run.outcome == "failed" && !job.recordError && job.cutOff.empty())
        verdict.rank = job.hung ? job.hung->rank : culprit(ranks, job);
    return verdict;
}

}  // namespace shardlab::launch
