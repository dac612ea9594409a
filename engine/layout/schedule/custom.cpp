// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/custom.h"

#include "engine/layout/schedule/generators.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"

#include <algorithm>

namespace shardlab::layout {
namespace {

Finding ofWhole(Sentence why, Sentence legal) { return {-1, -1, {}, std::move(why), std::move(legal)}; }

/// Actions that a layout's own schedule does not state.
std::optional<Finding> findForeign(const Schedule& schedule) {
    for (int rank = 0; rank < static_cast<int>(schedule.ranks.size()); ++rank) {
        const auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        for (int i = 0; i < static_cast<int>(actions.size()); ++i) {
            const Action& action = actions[static_cast<std::size_t>(i)];
            if (!isCompute(action.kind) || action.kind == ActionKind::Recompute)
                return Finding{rank, i, action, say("what is not compute is added from the layout"),
                               say("Only F, B, I and W")};
            if (action.version >= 0)
                return Finding{rank, i, action, say("a schedule written by hand keeps one version of the weights"),
                               say("The action without its version")};
        }
    }
    return {};
}

Sentence lines(int count) { return count == 1 ? say("1 line") : say("{} lines", count); }

}  // namespace

std::vector<std::string> actionLines(const Schedule& compute) {
    if (!compute.flushes()) {
        // The order of a single step, which ends with a flush and has one version of the weights.
        Schedule step = unrolled(compute, 1).schedule;
        for (std::vector<Action>& actions : step.ranks)
            for (Action& action : actions) action.version = -1;
        return actionLines(step);
    }
    std::vector<std::string> lines;
    for (const auto& actions : compute.ranks) {
        std::string& line = lines.emplace_back();
        for (const Action& action : actions) {
            if (!line.empty()) line += ',';
            line += toText(action);
        }
    }
    return lines;
}

Result<Schedule> scheduleOfLines(const std::vector<std::string>& lines) {
    std::string csv;
    for (const std::string& line : lines) csv += line + "\n";
    return parseCsv(csv);
}

std::optional<Finding> findMisfit(const Schedule& schedule, const ScheduleShape& shape) {
    const auto ranks = static_cast<int>(schedule.ranks.size());
    if (ranks != shape.ranks)
        return ofWhole(say("it has {}, the pipeline has {}", lines(ranks),
                           shape.ranks == 1 ? say("1 rank") : say("{} ranks", shape.ranks)),
                       say("{}; or pipeline {}", lines(shape.ranks), ranks));
    if (std::optional<Finding> foreign = findForeign(schedule)) return foreign;
    const std::int64_t stages = std::int64_t{shape.ranks} * shape.chunks;
    if (schedule.stages() != stages)
        return ofWhole(
            schedule.stages() == 1 ? say("it has 1 stage, pipeline × chunks is {}", stages)
                                   : say("it has {} stages, pipeline × chunks is {}", schedule.stages(), stages),
            schedule.stages() % ranks == 0 ? say("chunks {}", schedule.stages() / ranks)
                                           : say("a whole number of stages for each pipeline rank on average"));
    const Sentence counts =
        shape.microbatches == 1
            ? say("1 microbatch, as a step of the layout has; the schedule has {}", schedule.microbatches)
            : say("{} microbatches, as a step of the layout has; the schedule has {}", shape.microbatches,
                  schedule.microbatches);
    if (schedule.microbatches < shape.microbatches)
        return Finding{schedule.rankOfStage.front(),
                       -1,
                       {ActionKind::Forward, 0, schedule.microbatches},
                       say("it is missing: {}", say("every stage forwards every microbatch")),
                       counts};
    Schedule whole = schedule;
    whole.microbatches = shape.microbatches;
    std::optional<Finding> wrong = findWrong(whole);
    if (wrong && schedule.microbatches != shape.microbatches) wrong->legal = counts;
    if (wrong) return wrong;
    // What the passes add never blocks where compute does not; proved here for this very order.
    if (wrong = findWrong(addTransfers(schedule)); wrong)
        return ofWhole(std::move(wrong->why), std::move(wrong->legal));
    return {};
}

Layout withOwnSchedule(Layout layout, const Schedule& compute) {
    layout.schedule.kind = customKind;
    layout.schedule.actions = actionLines(compute);
    layout.schedule.chunks = std::max(1, compute.stages() / std::max(1, static_cast<int>(compute.ranks.size())));
    layout.schedule.inFlight = 0;
    return layout;
}

Layout withScheduleKind(Layout layout, std::string_view kind) {
    if (kind == customKind && layout.schedule.kind != customKind) {
        const Result<Schedule> compute = generateSchedule(layout.schedule.kind, scheduleShape(layout));
        if (compute) return withOwnSchedule(std::move(layout), *compute);
    }
    if (kind != customKind) layout.schedule.actions.clear();
    layout.schedule.kind = kind;
    return layout;
}

Layout generatedAgain(Layout layout, std::string_view preferred) {
    const ScheduleShape shape = scheduleShape(withScheduleKind(layout, preferred));
    if (generateSchedule(preferred, shape)) return withScheduleKind(std::move(layout), preferred);
    const auto methods = generatedMethods();
    const auto works = [&](const ScheduleMethod& method) { return generateSchedule(method.name, shape).has_value(); };
    const auto first = std::ranges::find_if(methods, works);
    return withScheduleKind(std::move(layout), first == methods.end() ? preferred : first->name);
}

Schedule generateCustom(const ScheduleShape& shape) { return *scheduleOfLines(shape.actions); }

double customBubble(const ScheduleShape& shape) { return countedBubble(generateCustom(shape)); }

std::optional<ShapeRefusal> customRefusal(const ScheduleShape& shape) {
    constexpr std::string_view pointer = "/schedule/actions";
    if (shape.actions.empty())
        return ShapeRefusal{pointer, say("a schedule written by hand is what the layout lists"),
                            say("a line for each pipeline rank, {}; or a kind of schedule that makes its own order",
                                "\"0F0,0F1,0B0,0B1\""),
                            say("no actions are listed")};
    const Result<Schedule> schedule = scheduleOfLines(shape.actions);
    if (!schedule) {
        const Error& error = schedule.error();
        return ShapeRefusal{pointer, error.why, error.legal,
                            error.where.empty() ? error.what : say("{}: {}", error.where, error.what)};
    }
    const std::optional<Finding> wrong = findMisfit(*schedule, shape);
    if (!wrong) return {};
    const Sentence place = placeOf(*schedule, *wrong);
    return ShapeRefusal{pointer, wrong->why, wrong->legal,
                        place.empty() ? say("the schedule written by hand does not fit")
                                      : say("the schedule cannot run: {}", place),
                        pictureOf(*schedule, *wrong)};
}

}  // namespace shardlab::layout
