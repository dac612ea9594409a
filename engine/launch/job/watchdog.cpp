// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/watchdog.h"

#include "engine/base/clock.h"
#include "engine/base/units.h"
#include "engine/launch/job/rank_ends.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace shardlab::launch {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double longestGap = 0.5;    // s between two judgements that counts
constexpr double surelyFrozen = 1.0;  // s; a pulse beats ten times as often
constexpr std::size_t mostNamed = 8;

std::vector<RankStatus> statusesOf(const auto& seen) {
    std::vector<RankStatus> statuses;
    for (const auto& each : seen) statuses.push_back(each.status);
    return statuses;
}

/// Says what is wrong, not for how long and who else waits.
std::string complaint(const Hang& hang, const HangEvidence& evidence) {
    const std::string place = whereabouts(hang.status());
    switch (hang.cause) {
    case Hang::Cause::Frozen:
        return fmt::format("rank {} stands still{} {}", hang.rank, evidence.stopped ? " (stopped by a signal)" : "",
                           place);
    case Hang::Cause::Missing:
        return fmt::format("rank {} {} {} at step {}, rank {} waits for it", hang.rank,
                           evidence.sent ? "has sent, but nobody got," : "has not sent", toText(hang.missing.send),
                           hang.ranks[static_cast<std::size_t>(hang.missing.receiver)].status.step,
                           hang.missing.receiver);
    case Hang::Cause::Busy: return fmt::format("rank {} does not get on {}", hang.rank, place);
    case Hang::Cause::Circle: return fmt::format("ranks wait for each other, rank {} {}", hang.rank, place);
    }
    return {};
}

}  // namespace

std::string toText(const Hang::Wait& wait) {
    const RankStatus& status = wait.status;
    if (wait.forRanks.empty()) return fmt::format("{} {}", name(status.phase), whereabouts(status));
    const std::string place =
        status.action != 0 ? "in " + toText(actionFromId(status.action)) : std::string(name(status.phase));
    return fmt::format("waits at step {} {} for rank{} {}", status.step, place, wait.forRanks.size() == 1 ? "" : "s",
                       fmt::join(wait.forRanks, ", "));
}

std::string toText(const Hang& hang, const HangEvidence& evidence) {
    std::string told = fmt::format("{}, for {} (deadline {})", complaint(hang, evidence), formatSeconds(hang.seconds),
                                   formatSeconds(hang.deadline));
    std::size_t named = 0;
    std::size_t waiting = 0;
    for (const Hang::Wait& wait : hang.ranks) {
        if (wait.forRanks.empty() || ++waiting > mostNamed) continue;
        told += fmt::format("; rank {} {}", wait.rank, toText(wait));
        ++named;
    }
    if (waiting > named) told += fmt::format("; and {} more wait", waiting - named);
    return told;
}

Watchdog::Watchdog(WatchdogSetup setup)
    : setup_(std::move(setup)), ranks_(static_cast<std::size_t>(setup_.mesh.ranks())) {}

void Watchdog::measured(double seconds) { longestStep_ = std::max(longestStep_, seconds); }

void Watchdog::see(int rank, const RankStatus& status) {
    Seen& seen = ranks_[static_cast<std::size_t>(rank)];
    seen.moved = status.heartbeat != seen.status.heartbeat || status.phase != seen.status.phase;
    seen.beating = status.pulse != seen.status.pulse;
    seen.status = status;
}

void Watchdog::ended(int rank) { ranks_[static_cast<std::size_t>(rank)].ended = true; }

double Watchdog::deadline(RankPhase phase) const {
    const bool first = longestStep_ == 0;
    const double automatic =
        first ? 30 * setup_.predictedStep : std::max(30.0, 10 * std::max(longestStep_, setup_.predictedStep));
    const double asked = setup_.deadline > 0 ? setup_.deadline : automatic;
    const double step = first ? std::max(60.0, asked) : asked;
    switch (phase) {
    case RankPhase::Starting: return setup_.measures ? never : std::max(300.0, step);
    case RankPhase::Setup: return std::max(300.0, step);
    case RankPhase::Checkpointing: return std::max(900.0, step);
    case RankPhase::Paused:
    case RankPhase::Finished: return never;
    default: return step;
    }
}

std::optional<Hang> Watchdog::judge(std::int64_t now) {
    const double elapsed = std::min(longestGap, toSeconds(now - judgedAt_));
    judgedAt_ = now;
    quiet_ += elapsed;
    for (Seen& seen : ranks_) {
        if (seen.ended) continue;
        if (seen.moved) quiet_ = 0;
        seen.quiet = std::exchange(seen.moved, false) ? 0 : seen.quiet + elapsed;
        seen.frozen = std::exchange(seen.beating, false) ? 0 : seen.frozen + elapsed;
    }
    return find();
}

Hang Watchdog::hang(Hang::Cause cause, int rank, double seconds, double deadline) const {
    Hang found{cause, rank, seconds, deadline, {}, {}};
    const std::vector<RankStatus> statuses = statusesOf(ranks_);
    const WaitGraph graph(setup_.mesh, setup_.lowered, statuses, cause == Hang::Cause::Frozen ? rank : -1);
    for (int each = 0; each < setup_.mesh.ranks(); ++each)
        found.ranks.push_back(
            {each, statuses[static_cast<std::size_t>(each)],
             ranks_[static_cast<std::size_t>(each)].ended ? std::vector<int>{} : graph.waitsFor(each)});
    return found;
}

std::optional<Hang> Watchdog::find() const {
    const std::vector<RankStatus> statuses = statusesOf(ranks_);
    const WaitGraph graph(setup_.mesh, setup_.lowered, statuses);
    int frozen = -1;  // the one that has not run for longest
    int busy = -1;    // the one that has worked by itself for longest
    double patience = 0;
    bool overdue = false;
    const bool allPaused = std::ranges::all_of(
        ranks_, [](const Seen& seen) { return seen.ended || seen.status.phase == RankPhase::Paused; });
    for (int rank = 0; rank < setup_.mesh.ranks(); ++rank) {
        const Seen& seen = ranks_[static_cast<std::size_t>(rank)];
        if (seen.ended) continue;
        const RankPhase phase = seen.status.phase;
        const double limit = deadline(phase);
        const bool stands = seen.status.pulse > 0 && seen.frozen > surelyFrozen;
        const bool leftBehind = phase == RankPhase::Paused && stands && !allPaused;
        if (!leftBehind) patience = std::max(patience, limit);
        if (phase == RankPhase::Paused && !leftBehind) continue;
        const auto longest = [&](int& of, double Seen::*time) {
            if (of < 0 || seen.*time > ranks_[static_cast<std::size_t>(of)].*time) of = rank;
        };
        // Before its first beat a rank is judged by its phase alone.
        if (stands) {
            longest(frozen, &Seen::frozen);
            // How long it has stood in the pause does not count.
            overdue = overdue || (!leftBehind && seen.frozen > deadline(RankPhase::Compute));
        }
        if (leftBehind) continue;
        if (graph.waitsFor(rank).empty()) {
            longest(busy, &Seen::quiet);
            const bool works = phase != RankPhase::BetweenSteps && phase != RankPhase::Communicating;
            overdue = overdue || (works && seen.quiet > limit);
        }
    }
    overdue = overdue || (patience > 0 && quiet_ > patience);
    if (!overdue) return std::nullopt;
    const auto of = [&](int rank) -> const Seen& { return ranks_[static_cast<std::size_t>(rank)]; };
    if (frozen >= 0) return hang(Hang::Cause::Frozen, frozen, of(frozen).frozen, deadline(RankPhase::Compute));
    if (const auto missing = graph.missing()) {
        Hang found =
            hang(Hang::Cause::Missing, missing->sender, of(missing->receiver).quiet, deadline(RankPhase::Waiting));
        found.missing = *missing;
        return found;
    }
    if (busy >= 0) return hang(Hang::Cause::Busy, busy, of(busy).quiet, deadline(of(busy).status.phase));
    const auto first = std::ranges::max_element(ranks_, {}, &Seen::quiet);
    return hang(Hang::Cause::Circle, static_cast<int>(first - ranks_.begin()), first->quiet, patience);
}

}  // namespace shardlab::launch
