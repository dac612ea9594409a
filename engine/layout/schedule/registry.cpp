// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/registry.h"

#include "engine/layout/exchange.h"
#include "engine/layout/suggest.h"
#include "engine/layout/schedule/generators.h"

#include <algorithm>
#include <array>

namespace shardlab::layout {
namespace {

constexpr int mostChunks = 1024;  // as the layout's field
constexpr std::string_view countedFromOrder =
    "counted from the order with F = I = W and B = 2 F; there is no closed form";
constexpr std::string_view countedHere =
    "counted from the order with F = I = W and B = 2 F; the closed form holds for other m";
constexpr std::string_view steady = "0 between fill and drain: no step waits for the one before";

// The methods in the order in which lists show them; the one written by hand is the last.
constexpr std::array methods{
    ScheduleMethod{.name = "naive",
                   .title = "Naive model parallelism",
                   .paper = "arXiv 1811.06965, figure 2b",
                   .generate = generateNaive,
                   .theoreticalBubble = naiveBubble,
                   .closedForm = "(p−1)/p"},
    ScheduleMethod{.name = "gpipe",
                   .title = "GPipe",
                   .paper = "arXiv 1811.06965",
                   .generate = generateGpipe,
                   .theoreticalBubble = flushBubble,
                   .closedForm = "(p−1)/(m+p−1)"},
    ScheduleMethod{.name = "1f1b",
                   .title = "1F1B with flush",
                   .paper = "arXiv 1806.03377, 2006.09503",
                   .generate = generateOneFOneB,
                   .theoreticalBubble = flushBubble,
                   .closedForm = "(p−1)/(m+p−1)"},
    ScheduleMethod{.name = "interleaved-1f1b",
                   .title = "Interleaved 1F1B",
                   .paper = "PTD-P, arXiv 2104.04473",
                   .minChunks = 2,
                   .maxChunks = mostChunks,
                   .generate = generateInterleavedOneFOneB,
                   .theoreticalBubble = interleavedBubble,
                   .closedForm = "(p−1)/(vm+p−1)",
                   .hasClosedForm = interleavedHasClosedForm},
    ScheduleMethod{.name = "looped-bfs",
                   .title = "Looped breadth-first",
                   .paper = "arXiv 2211.05953",
                   .minChunks = 2,
                   .maxChunks = mostChunks,
                   .generate = generateLoopedBfs,
                   .theoreticalBubble = loopedBfsBubble,
                   .closedForm = "1 − vm/((v−1)·max(m,p)+m+p−1)"},
    ScheduleMethod{.name = "zb-h1",
                   .title = "Zero bubble, ZB-H1",
                   .paper = "arXiv 2401.10241",
                   .generate = generateZbH1,
                   .theoreticalBubble = zbH1Bubble,
                   .closedForm = "(p−1)/(3m+p−1)",
                   .hasClosedForm = zbH1HasClosedForm},
    ScheduleMethod{.name = "zb-v",
                   .title = "Zero bubble, ZB-V",
                   .paper = "arXiv 2401.10241, section 6",
                   .minChunks = 2,
                   .maxChunks = 2,
                   .generate = generateZbV,
                   .theoreticalBubble = zbVBubble,
                   .closedForm = countedFromOrder},
    ScheduleMethod{.name = "zb-greedy",
                   .title = "Zero bubble under a memory limit",
                   .paper = "arXiv 2401.10241, section 3",
                   .generate = generateZbGreedy,
                   .theoreticalBubble = zbGreedyBubble,
                   .closedForm = countedFromOrder,
                   .takesLimit = true},
    ScheduleMethod{.name = "dualpipe-v",
                   .title = "DualPipe-V",
                   .paper = "arXiv 2412.19437 and its folded form",
                   .minChunks = 2,
                   .maxChunks = 2,
                   .refusal = dualPipeVRefusal,
                   .generate = generateDualPipeV,
                   .theoreticalBubble = dualPipeVBubble,
                   .closedForm = countedFromOrder},
    ScheduleMethod{.name = "pipedream",
                   .title = "PipeDream, weight stashing",
                   .paper = "arXiv 1806.03377",
                   .refusal = pipeDreamRefusal,
                   .generate = generatePipeDream,
                   .theoreticalBubble = steadyBubble,
                   .closedForm = steady,
                   .flushes = false,
                   .takesVerticalSync = true},
    ScheduleMethod{.name = "pipedream-2bw",
                   .title = "PipeDream-2BW, two weight versions",
                   .paper = "arXiv 2006.09503",
                   .refusal = twoVersionsRefusal,
                   .generate = generatePipeDream2bw,
                   .theoreticalBubble = steadyBubble,
                   .closedForm = steady,
                   .flushes = false},
    ScheduleMethod{.name = "custom",
                   .title = "Written by hand",
                   .paper = "the layout's own actions",
                   .maxChunks = mostChunks,
                   .refusal = customRefusal,
                   .generate = generateCustom,
                   .theoreticalBubble = customBubble,
                   .closedForm = countedFromOrder,
                   .byHand = true},
};

}  // namespace

std::span<const ScheduleMethod> scheduleMethods() { return methods; }

std::span<const ScheduleMethod> generatedMethods() {
    const auto byHand = std::ranges::find(methods, true, &ScheduleMethod::byHand);
    return {methods.begin(), byHand};
}

const ScheduleMethod* findScheduleMethod(std::string_view name) { return methodNamed(name, methods); }

Schedule emptySchedule(std::string kind, const ScheduleShape& shape) {
    Schedule schedule;
    schedule.kind = std::move(kind);
    schedule.microbatches = shape.microbatches;
    schedule.ranks.resize(static_cast<std::size_t>(shape.ranks));
    for (int stage = 0; stage < shape.ranks * shape.chunks; ++stage)
        schedule.rankOfStage.push_back(stage % shape.ranks);
    return schedule;
}

Schedule emptyFoldedSchedule(std::string kind, const ScheduleShape& shape) {
    Schedule schedule = emptySchedule(std::move(kind), shape);
    for (int stage = shape.ranks; stage < schedule.stages(); ++stage)
        schedule.rankOfStage[static_cast<std::size_t>(stage)] = 2 * shape.ranks - 1 - stage;
    return schedule;
}

Result<Schedule> generateSchedule(std::string_view kind, const ScheduleShape& shape) {
    const ScheduleMethod* method = findScheduleMethod(kind);
    if (method == nullptr) {
        std::vector<std::string_view> names;
        for (const ScheduleMethod& each : methods) names.push_back(each.name);
        return fail({say("there is no such schedule"), kind.substr(0, 60), "", legalWords(kind, names)});
    }
    const auto refuse = [&](Sentence why, Sentence legal) {
        return fail({say("{} cannot be scheduled", method->name), "", std::move(why), std::move(legal)});
    };
    if (shape.ranks < 1 || shape.microbatches < 1)
        return refuse(say("there are {} stages and {} microbatches", shape.ranks, shape.microbatches),
                      say("At least one of each"));
    if (shape.chunks < method->minChunks || shape.chunks > method->maxChunks)
        return refuse(say("{} chunks are asked for", shape.chunks),
                      method->minChunks == method->maxChunks
                          ? say("Exactly {}", method->minChunks)
                          : say("From {} to {}", method->minChunks, method->maxChunks));
    if (shape.inFlight != 0 && !method->takesLimit)
        return refuse(say("its order fixes how many microbatches a rank holds"),
                      say("No limit, or a schedule that takes one"));
    if (shape.verticalSync && !method->takesVerticalSync)
        return refuse(say("it keeps no weight versions of single microbatches"), say("No vertical sync, or pipedream"));
    if (shape.inFlight < 0)
        return refuse(say("a rank may hold {} microbatches", shape.inFlight),
                      say("1 or more; 0 for as many as there are ranks"));
    // The limits of an action's packed form, and of memory.
    const std::int64_t stages = std::int64_t{shape.ranks} * shape.chunks;
    if (stages > 65536 || stages * shape.microbatches > (1 << 22))
        return refuse(say("there are too many actions"),
                      say("At most 65536 stages, and 4194304 = stages × microbatches"));
    if (method->refusal != nullptr)
        if (std::optional<ShapeRefusal> refusal = method->refusal(shape)) return refuse(refusal->why, refusal->legal);
    return method->generate(shape);
}

ScheduleShape scheduleShape(const Layout& layout) {
    return {layout.parallel.pipeline, layout.schedule.chunks,  microbatches(layout),
            layout.schedule.inFlight, layout.schedule.actions, layout.schedule.verticalSync};
}

std::string_view bubbleFormula(const ScheduleMethod& method, const ScheduleShape& shape) {
    return method.hasClosedForm == nullptr || method.hasClosedForm(shape) ? method.closedForm : countedHere;
}

bool flushes(const Layout& layout) {
    const ScheduleMethod* method = findScheduleMethod(layout.schedule.kind);
    return !runsAtOwnPace(layout.parallel) && (method == nullptr || method->flushes);
}

}  // namespace shardlab::layout
