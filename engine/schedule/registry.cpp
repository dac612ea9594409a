// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/registry.h"

#include "engine/layout/suggest.h"
#include "engine/schedule/generators.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace shardlab {
namespace {

// One line a method: name, title, paper, chunks from–to, refusal, generator, bubble and its formula.
// clang-format off
constexpr std::array methods{
    ScheduleMethod{"naive", "Naive model parallelism", "arXiv 1811.06965, figure 2b", 1, 1, nullptr, generateNaive, naiveBubble, "(p−1)/p"},
    ScheduleMethod{"gpipe", "GPipe", "arXiv 1811.06965", 1, 1, nullptr, generateGpipe, flushBubble, "(p−1)/(m+p−1)"},
    ScheduleMethod{"1f1b", "1F1B with flush", "arXiv 1806.03377, 2006.09503", 1, 1, nullptr, generateOneFOneB, flushBubble, "(p−1)/(m+p−1)"},
};
// clang-format on

}  // namespace

std::span<const ScheduleMethod> scheduleMethods() { return methods; }

const ScheduleMethod* findScheduleMethod(std::string_view name) {
    const auto found = std::ranges::find(methods, name, &ScheduleMethod::name);
    return found == methods.end() ? nullptr : &*found;
}

Schedule emptySchedule(std::string kind, const ScheduleShape& shape) {
    Schedule schedule;
    schedule.kind = std::move(kind);
    schedule.microbatches = shape.microbatches;
    schedule.ranks.resize(static_cast<std::size_t>(shape.ranks));
    for (int stage = 0; stage < shape.ranks * shape.chunks; ++stage)
        schedule.rankOfStage.push_back(stage % shape.ranks);
    return schedule;
}

Result<Schedule> generateSchedule(std::string_view kind, const ScheduleShape& shape) {
    const ScheduleMethod* method = findScheduleMethod(kind);
    if (method == nullptr) {
        std::vector<std::string_view> names;
        for (const ScheduleMethod& each : methods) names.push_back(each.name);
        return fail({"there is no such schedule", std::string(kind.substr(0, 60)), "", legalWords(kind, names)});
    }
    const auto refuse = [&](std::string why, std::string legal) {
        return fail({fmt::format("{} cannot be scheduled", method->name), "", std::move(why), std::move(legal)});
    };
    if (shape.ranks < 1 || shape.microbatches < 1)
        return refuse(fmt::format("there are {} stages and {} microbatches", shape.ranks, shape.microbatches),
                      "At least one of each");
    if (shape.chunks < method->minChunks || shape.chunks > method->maxChunks)
        return refuse(fmt::format("{} chunks are asked for", shape.chunks),
                      fmt::format("From {} to {}", method->minChunks, method->maxChunks));
    // The limits of an action's packed form, and of memory.
    const std::int64_t stages = std::int64_t{shape.ranks} * shape.chunks;
    if (stages > 65536 || stages * shape.microbatches > (1 << 22))
        return refuse("there are too many actions", "At most 65536 stages, and 4194304 = stages × microbatches");
    if (method->refusal != nullptr)
        if (const std::optional<std::string> reason = method->refusal(shape)) return refuse(*reason, "");
    return method->generate(shape);
}

ScheduleShape scheduleShape(const Layout& layout) {
    return {layout.parallel.pipeline, layout.schedule.chunks, microbatches(layout)};
}

}  // namespace shardlab
