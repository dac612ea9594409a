// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/analysis/stragglers.h"

#include "engine/base/clock.h"
#include "engine/base/saturate.h"
#include "engine/base/units.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/metrics/figure_sum.h"
#include "engine/trace/metrics/summary.h"
#include "engine/layout/schedule/registry.h"
#include "engine/base/median.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <tuple>

namespace shardlab::trace {
namespace {

constexpr double leastExcess = 0.10;  ///< of what is expected
constexpr double leastShareOfStep = 0.02;
constexpr int leastSteps = 3;
constexpr int largestGap = 2;  ///< steps between two slow ones

/// Steps that are looked at, of a longer run the last ones: so many times ranks that memory stays bounded.
std::size_t mostSteps(std::size_t ranks) {
    constexpr std::size_t most = 10'000, fewest = 1'000, rankSteps = std::size_t{1} << 18;
    return std::clamp(rankSteps / std::max<std::size_t>(ranks, 1), fewest, most);
}

/// Who is judged, for what.
using Subject = std::tuple<StragglerCause, int, int>;  // cause, rank, peer

struct Judged {
    double measured = 0;   ///< seconds
    double predicted = 0;  ///< 0: not known
    int place = 0;         ///< those of one place are alike
};

/// What each is expected to take, from the others; none where there is nobody to go by.
std::vector<std::optional<double>> expected(const std::vector<Judged>& all) {
    std::vector<std::optional<double>> result(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<double> alike, ratios;
        for (std::size_t j = 0; j < all.size(); ++j) {
            if (i == j) continue;
            if (all[j].place == all[i].place) alike.push_back(all[j].measured);
            if (all[j].predicted > 0) ratios.push_back(all[j].measured / all[j].predicted);
        }
        if (!alike.empty()) result[i] = median(alike);
        else if (!ratios.empty() && all[i].predicted > 0) result[i] = all[i].predicted * median(ratios);
    }
    return result;
}

struct Slow {
    int step;
    double measured;
    double expected;
};

/// Stretches of slow steps of one subject.
void addStretches(const Subject& subject, const std::vector<Slow>& slow, const std::vector<int>& order,
                  std::vector<Straggler>& found) {
    const auto placeOf = [&](int step) { return std::ranges::lower_bound(order, step) - order.begin(); };
    for (std::size_t first = 0; first < slow.size();) {
        std::size_t last = first;
        while (last + 1 < slow.size() && placeOf(slow[last + 1].step) - placeOf(slow[last].step) <= largestGap + 1)
            ++last;
        const auto count = static_cast<int>(last - first + 1);
        if (count >= leastSteps) {
            Straggler one{std::get<1>(subject),
                          std::get<0>(subject),
                          std::get<2>(subject),
                          slow[first].step,
                          slow[last].step,
                          count,
                          0,
                          0};
            for (std::size_t i = first; i <= last; ++i) {
                one.measured += slow[i].measured / count;
                one.expected += slow[i].expected / count;
            }
            found.push_back(one);
        }
        first = last + 1;
    }
}

}  // namespace

std::string_view name(StragglerCause cause) {
    switch (cause) {
    case StragglerCause::Compute: return "compute";
    case StragglerCause::Wait: return "wait";
    case StragglerCause::Link: return "link";
    }
    return "unknown";
}

std::string toText(const Straggler& one) {
    const std::string who = one.cause == StragglerCause::Link ? fmt::format("rank {} → {}", one.rank, one.peer)
                                                              : fmt::format("rank {}", one.rank);
    const std::string steps = one.firstStep == one.lastStep ? fmt::format("step {}", one.firstStep)
                                                            : fmt::format("steps {}–{}", one.firstStep, one.lastStep);
    const std::string than = one.expected > 0
                                 ? fmt::format("{} more than its like ({})", formatPercent(one.excess() / one.expected),
                                               formatSeconds(one.expected))
                                 : std::string("its like none");
    const std::string what = one.cause == StragglerCause::Wait ? "wait, stands still" : std::string(name(one.cause));
    return fmt::format("{} · {} {} a step, {}, {}", who, what, formatSeconds(one.measured), than, steps);
}

StragglerWatch::StragglerWatch(const RunHeader& header)
    : mesh_(header.layout), device_(header.stretch), predicted_(static_cast<std::size_t>(mesh_.ranks())) {
    if (!header.hasLayout()) return;
    if (const auto schedule = generateSchedule(header.layout.schedule.kind, scheduleShape(header.layout)))
        rankOfStage_ = schedule->rankOfStage;
}

int StragglerWatch::peerOf(int rank, EventKind send, int from) const {
    const int stage = from + (send == EventKind::SendForward ? 1 : -1);
    if (from < 0 || stage < 0 || static_cast<std::size_t>(stage) >= rankOfStage_.size()) return -1;
    Coordinates place = mesh_.coordinates(rank);
    place[Axis::Pipeline] = rankOfStage_[static_cast<std::size_t>(stage)];
    return place[Axis::Pipeline] < mesh_.size(Axis::Pipeline) ? mesh_.rank(place) : -1;
}

void StragglerWatch::add(const Event& event, RankTime& rank) const {
    const std::int64_t lasts = asFigure(saturatedDifference(event.end, event.begin));
    if (isSend(event.kind)) {
        const int stage = event.action == 0 ? -1 : actionFromId(event.action).stage;
        if (const int peer = peerOf(event.rank, event.kind, stage); peer >= 0) grow(rank.sent[peer], lasts);
        return;
    }
    rank.standing.add(event);
    if (isCompute(event.kind) && event.lane == Lane::Compute) grow(rank.busy, lasts);
}

StragglerWatch::StepTime& StragglerWatch::timeOf(int step) {
    if (steps_.size() > mostSteps(predicted_.size())) steps_.erase(steps_.begin());
    StepTime& time = steps_[step];
    if (time.ranks.empty()) time.ranks.resize(static_cast<std::size_t>(mesh_.ranks()));
    return time;
}

void StragglerWatch::put(const StepFigures& figures) {
    if (figures.times.step < 0 || figures.details.size() != static_cast<std::size_t>(mesh_.ranks())) return;
    StepTime& step = timeOf(figures.times.step);
    step = {std::vector<RankTime>(figures.details.size())};
    for (std::size_t i = 0; i < figures.details.size(); ++i) {
        const RankStep& times = figures.times.ranks[i];
        const RankDetail& detail = figures.details[i];
        RankTime& rank = step.ranks[i];
        rank.standing = detail.standing;
        for (const KindTime& kind : detail.kinds) {
            if (isCompute(kind.kind)) grow(rank.busy, kind.nanoseconds);
            if (!isSend(kind.kind)) continue;
            if (const int peer = peerOf(static_cast<int>(i), kind.kind, kind.stage); peer >= 0)
                grow(rank.sent[peer], kind.nanoseconds);
        }
        if (times.end == 0) continue;
        rank.judged = times.withoutDetails == 0;
        step.begin = std::min(step.begin, times.begin);
        step.end = std::max(step.end, times.end);
    }
}

void StragglerWatch::addPredicted(std::span<const Event> events) {
    for (const Event& event : events)
        if (event.rank >= 0 && event.rank < mesh_.ranks()) add(event, predicted_[static_cast<std::size_t>(event.rank)]);
}

void StragglerWatch::add(std::span<const Event> events) {
    StepTime* step = nullptr;
    int number = -1;
    for (const Event& event : events) {
        if (restarts_.add(event)) {
            steps_.erase(steps_.lower_bound(event.step), steps_.end());
            step = nullptr;
            continue;
        }
        if (restarts_.superseded(event)) continue;
        if (event.step < 0 || event.rank < 0 || event.rank >= mesh_.ranks() || !isSpan(event.kind)) continue;
        if (!step || number != event.step) {
            number = event.step;
            step = &timeOf(number);
        }
        RankTime& rank = step->ranks[static_cast<std::size_t>(event.rank)];
        if (event.kind == EventKind::Step) {
            rank.judged = !lacksDetails(event);
            step->begin = std::min(step->begin, event.begin);
            step->end = std::max(step->end, event.end);
        } else {
            add(event, rank);
        }
    }
}

std::vector<Straggler> StragglerWatch::stragglers() const {
    std::map<Subject, std::vector<Slow>> slow;
    std::vector<int> order;
    std::size_t complete = 0;
    const auto seconds = [this](std::int64_t nanoseconds) { return device_.seconds(toSeconds(nanoseconds)); };
    for (const auto& [number, step] : steps_) {
        if (!std::ranges::all_of(step.ranks, &RankTime::judged)) continue;
        if (++complete <= warmUpSteps) continue;
        order.push_back(number);
        const double least = leastShareOfStep * seconds(saturatedDifference(step.end, step.begin));
        const auto judge = [&, number = number](const std::vector<Subject>& who, const std::vector<Judged>& all) {
            const auto expectations = expected(all);
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (!expectations[i] ||
                    all[i].measured - *expectations[i] <= std::max(least, leastExcess * *expectations[i]))
                    continue;
                slow[who[i]].push_back({number, all[i].measured, *expectations[i]});
            }
        };
        std::vector<Subject> computing, standing, links;
        std::vector<Judged> busy, stood, sent;
        for (int rank = 0; rank < mesh_.ranks(); ++rank) {
            const RankTime& time = step.ranks[static_cast<std::size_t>(rank)];
            const RankTime& planned = predicted_[static_cast<std::size_t>(rank)];
            const int place = mesh_.coordinate(rank, Axis::Pipeline);
            computing.emplace_back(StragglerCause::Compute, rank, -1);
            busy.push_back({seconds(time.busy), seconds(planned.busy), place});
            standing.emplace_back(StragglerCause::Wait, rank, -1);
            stood.push_back({seconds(time.standing.sum), 0, 0});  // nobody should stand still
            for (const auto& [peer, nanoseconds] : time.sent) {
                const auto foreseen = planned.sent.find(peer);
                links.emplace_back(StragglerCause::Link, rank, peer);
                // Links between the same two stages in other replicas are alike.
                sent.push_back({seconds(nanoseconds), foreseen == planned.sent.end() ? 0 : seconds(foreseen->second),
                                place * mesh_.ranks() + mesh_.coordinate(peer, Axis::Pipeline)});
            }
        }
        judge(computing, busy);
        judge(standing, stood);
        judge(links, sent);
    }
    std::vector<Straggler> found;
    for (const auto& [subject, steps] : slow) addStretches(subject, steps, order, found);
    std::ranges::stable_sort(found, std::greater{}, [](const Straggler& one) { return one.excess() * one.steps; });
    return found;
}

}  // namespace shardlab::trace
