// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/neighbours.h"

#include "engine/layout/check/check.h"
#include "engine/layout/exchange.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/stacks.h"
#include "engine/predict/search/partition_layout.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::predict {
namespace {

std::string listText(const std::vector<int>& list) { return fmt::format("[{}]", fmt::join(list, ", ")); }

/// The tensor degree is told where it is or was more than 1.
Sentence degreesText(const ParallelSpec& now, const ParallelSpec& before) {
    if (now.tensor == 1 && before.tensor == 1)
        return say("data {} × pipeline {} instead of {} × {}", now.data, now.pipeline, before.data, before.pipeline);
    return say("data {} × pipeline {} × tensor {} instead of {} × {} × {}", now.data, now.pipeline, now.tensor,
               before.data, before.pipeline, before.tensor);
}

/// Each once, the smallest first.
std::vector<int> primeFactors(int number) {
    std::vector<int> factors;
    for (int factor = 2; number > 1; ++factor) {
        if (factor > number / factor) factor = number;
        if (number % factor == 0) factors.push_back(factor);
        while (number % factor == 0) number /= factor;
    }
    return factors;
}

class Finder {
public:
    Finder(const Layout& layout, const Measurements& measurements) : layout_(layout), measurements_(measurements) {}

    std::vector<Neighbour> find() {
        microbatches();
        schedules();
        stages();
        degrees();
        recompute();
        return std::move(found_);
    }

private:
    void offer(Move move, Layout layout, Sentence change) {
        if (stageCount(layout) != stageCount(layout_) && !layout.schedule.stages.empty())
            layout.schedule.stages.clear();
        if (layout.schedule.stages.empty() && stageLayers(layout).empty())
            layout.schedule.stages = balancedStages(layout, Mesh(layout), measurements_);
        // A program may have no schedule for as many pipeline ranks; where its own is one that it lacks, that may stay.
        if (!hasSchedule(layout, layout.schedule.kind) && hasSchedule(layout_, layout_.schedule.kind)) return;
        if (check(layout, scheduleMethods()).empty()) found_.push_back({move, choiceOf(layout), std::move(change)});
    }

    void microbatches() {
        const int micro = layout_.batch.micro, share = layout_.batch.global / std::max(1, workers(layout_.parallel));
        const auto take = [&](int other) {
            Layout layout = layout_;
            layout.batch.micro = other;
            offer(Move::Microbatch, layout,
                  share == other ? say("micro {} instead of {} (1 microbatch)", other, micro)
                                 : say("micro {} instead of {} ({} microbatches)", other, micro, share / other));
        };
        for (int other = micro - 1; other >= 1; --other)
            if (share % other == 0) {
                take(other);
                break;
            }
        for (int other = micro + 1; other <= share; ++other)
            if (share % other == 0) {
                take(other);
                break;
            }
    }

    void schedules() {
        for (const ScheduleMethod& method : generatedMethods()) {
            // A schedule without a flush trains differently, so it is no neighbour of one with a flush.
            if (method.name == layout_.schedule.kind || method.flushes != flushes(layout_)) continue;
            if (!hasSchedule(layout_, method.name)) continue;
            Layout layout = withScheduleKind(layout_, method.name);
            layout.schedule.chunks = std::clamp(layout_.schedule.chunks, method.minChunks, method.maxChunks);
            if (!method.takesLimit) layout.schedule.inFlight = 0;
            Sentence change = say("schedule {} instead of {}", method.name, layout_.schedule.kind);
            if (layout.schedule.chunks != layout_.schedule.chunks)
                change = layout.schedule.chunks == 1 ? say("{} with 1 chunk", change)
                                                     : say("{} with {} chunks", change, layout.schedule.chunks);
            offer(Move::Schedule, layout, std::move(change));
        }
    }

    void stages() {
        Layout layout = layout_;
        layout.schedule.stages = balancedStages(layout_, Mesh(layout_), measurements_);
        const std::vector<int> present = stageLayers(layout_);
        if (layout.schedule.stages.empty() || layout.schedule.stages == present) return;
        offer(Move::Stages, layout,
              say("stages {} instead of {}", listText(layout.schedule.stages), listText(present)));
    }

    void degrees() {
        using Degree = int ParallelSpec::*;
        constexpr std::array<Degree, 3> all{&ParallelSpec::data, &ParallelSpec::pipeline, &ParallelSpec::tensor};
        for (const Degree from : all)
            for (const int factor : primeFactors(layout_.parallel.*from))
                for (const Degree to : all)
                    if (from != to) give(from, to, factor);
    }

    void give(int ParallelSpec::*from, int ParallelSpec::*to, int factor) {
        Layout layout = layout_;
        ParallelSpec& parallel = layout.parallel;
        parallel.*from /= factor;
        parallel.*to *= factor;
        Sentence change = degreesText(parallel, layout_.parallel);
        if (parallel.sequence && parallel.tensor == 1) {
            parallel.sequence = false;
            change = say("{}, without sequence parallelism", change);
        }
        if (parallel.zero > 0 && replicaCount(parallel) == 1 && !offloadsParameters(layout.memory)) {
            parallel.zero = 0;
            change = say("{}, without ZeRO", change);
        }
        offer(Move::Degrees, layout, std::move(change));
    }

    void recompute() {
        const RecomputeKind now = layout_.memory.recompute;
        if (now == RecomputeKind::None) return;
        using enum RecomputeKind;
        const bool whole = now == Full || now == Sqrt || now == Every;
        for (const RecomputeKind less : {None, Selective, Latent, Pointwise, Mlp}) {
            if (less != None && !whole) continue;  // parts of blocks save memory each in its own place
            Layout layout = layout_;
            layout.memory.recompute = less;
            offer(Move::Recompute, layout, say("recompute {} instead of {}", wordOf(less), wordOf(now)));
        }
    }

    const Layout& layout_;
    const Measurements& measurements_;
    std::vector<Neighbour> found_;
};

}  // namespace

std::vector<Neighbour> neighbours(const Layout& layout, const Measurements& measurements) {
    return Finder(layout, measurements).find();
}

}  // namespace shardlab::predict
