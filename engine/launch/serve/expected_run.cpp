// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/expected_run.h"

#include "engine/layout/schedule/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::launch {
namespace {

/// "1 stage (0)", "4 microbatches (0 to 3)".
std::string numbered(int count, const char* one, const char* many) {
    return count == 1 ? fmt::format("1 {} (0)", one) : fmt::format("{} {} (0 to {})", count, many, count - 1);
}

}  // namespace

LayoutFit::LayoutFit(const Layout& layout)
    : name_(layout.name), factors_(rankFactorsText(layout.parallel)), mesh_(layout) {
    if (const auto schedule = generateSchedule(layout.schedule.kind, scheduleShape(layout))) {
        rankOfStage_ = schedule->rankOfStage;
        microbatches_ = schedule->numbered();
    }
}

std::optional<std::string> LayoutFit::misfitOf(int world) const {
    if (world == mesh_.ranks()) return std::nullopt;
    return fmt::format("the program has {} {}, the layout “{}” has {} ({})", world, world == 1 ? "rank" : "ranks",
                       name_, mesh_.ranks(), factors_);
}

std::optional<std::string> LayoutFit::misfitOf(const Event& event) const {
    if (event.action == 0 || nameNumber(event.action) != 0 || rankOfStage_.empty()) return std::nullopt;
    const Action action = actionFromId(event.action);
    const std::string what = fmt::format("rank {} recorded {}", event.rank, toText(action));
    if (action.stage < 0 || static_cast<std::size_t>(action.stage) >= rankOfStage_.size())
        return fmt::format("{}, the layout “{}” has {}", what, name_,
                           numbered(static_cast<int>(rankOfStage_.size()), "stage", "stages"));
    if (action.microbatch >= microbatches_)
        return fmt::format("{}, the layout “{}” has {} in a step", what, name_,
                           numbered(microbatches_, "microbatch", "microbatches"));
    const int place = rankOfStage_[static_cast<std::size_t>(action.stage)];
    if (mesh_.coordinate(event.rank, Axis::Pipeline) == place) return std::nullopt;
    std::vector<int> ranks;
    for (int rank = 0; rank < mesh_.ranks(); ++rank)
        if (mesh_.coordinate(rank, Axis::Pipeline) == place) ranks.push_back(rank);
    return fmt::format("{}, the layout “{}” has stage {} on {} {}", what, name_, action.stage,
                       ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

}  // namespace shardlab::launch
