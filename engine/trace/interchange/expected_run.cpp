// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/expected_run.h"

#include "engine/base/clock.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::trace {
namespace {

Sentence numberedStages(std::size_t count) {
    return count == 1 ? say("1 stage (0)") : say("{} stages (0 to {})", count, count - 1);
}

Sentence numberedMicrobatches(int count) {
    return count == 1 ? say("1 microbatch (0)") : say("{} microbatches (0 to {})", count, count - 1);
}

Sentence ranksTold(int count) { return count == 1 ? say("1 rank") : say("{} ranks", count); }

}  // namespace

RunHeader foreignHeader(std::string_view origin, const std::optional<ExpectedRun>& expected) {
    RunHeader header = expected ? expected->header : RunHeader();
    header.origin = origin;
    header.created = utcNow();
    header.version = SHARDLAB_VERSION;
    header.layoutGiven = expected.has_value();
    return header;
}

LayoutFit::LayoutFit(const Layout& layout)
    : name_(layout.name), factors_(rankFactorsText(layout.parallel)), mesh_(layout) {
    if (const auto schedule = generateSchedule(layout.schedule.kind, scheduleShape(layout))) {
        rankOfStage_ = schedule->rankOfStage;
        microbatches_ = schedule->numbered();
    }
}

std::optional<Sentence> LayoutFit::misfitOf(int world) const {
    if (world == mesh_.ranks()) return std::nullopt;
    return say("the program has {}, the layout “{}” has {} ({})", ranksTold(world), name_, mesh_.ranks(), factors_);
}

std::optional<Sentence> LayoutFit::misfitOf(const Event& event) const {
    if (event.action == 0 || nameNumber(event.action) != 0 || rankOfStage_.empty()) return std::nullopt;
    const Action action = actionFromId(event.action);
    const Sentence what = say("rank {} recorded {}", event.rank, toText(action));
    if (action.stage < 0 || static_cast<std::size_t>(action.stage) >= rankOfStage_.size())
        return say("{}, the layout “{}” has {}", what, name_, numberedStages(rankOfStage_.size()));
    if (action.microbatch >= microbatches_)
        return say("{}, the layout “{}” has {} in a step", what, name_, numberedMicrobatches(microbatches_));
    const int place = rankOfStage_[static_cast<std::size_t>(action.stage)];
    if (mesh_.coordinate(event.rank, Axis::Pipeline) == place) return std::nullopt;
    std::vector<int> ranks;
    for (int rank = 0; rank < mesh_.ranks(); ++rank)
        if (mesh_.coordinate(rank, Axis::Pipeline) == place) ranks.push_back(rank);
    const std::string all = fmt::format("{}", fmt::join(ranks, ", "));
    return ranks.size() == 1 ? say("{}, the layout “{}” has stage {} on rank {}", what, name_, action.stage, all)
                             : say("{}, the layout “{}” has stage {} on ranks {}", what, name_, action.stage, all);
}

ExpectedOrder::ExpectedOrder(const ExpectedRun& expected) : fit_(expected.header.layout) {
    std::map<std::pair<int, EventKind>, std::vector<const Event*>> events;
    std::map<int, int> shown;  // the rank that stands for a place
    for (const Event& event : expected.predicted) {
        if (event.rank < 0 || event.action == 0 || nameNumber(event.action) != 0) continue;
        const int place = fit_.place(event.rank);
        if (shown.emplace(place, event.rank).first->second == event.rank) events[{place, event.kind}].push_back(&event);
    }
    for (auto& [key, all] : events) {
        std::ranges::stable_sort(all, {}, [](const Event* event) { return event->begin; });
        for (const Event* event : all) order_[key].push_back(event->action);
    }
}

const std::vector<ActionId>* ExpectedOrder::find(int rank, EventKind kind) const {
    const auto known = order_.find({fit_.place(rank), kind});
    return known == order_.end() ? nullptr : &known->second;
}

std::optional<Action> ExpectedOrder::action(int rank, EventKind kind, std::size_t number) const {
    const std::vector<ActionId>* order = find(rank, kind);
    if (order == nullptr || number >= order->size()) return std::nullopt;
    return actionFromId((*order)[number]);
}

std::size_t ExpectedOrder::count(int rank, EventKind kind) const {
    const std::vector<ActionId>* order = find(rank, kind);
    return order == nullptr ? 0 : order->size();
}

}  // namespace shardlab::trace
