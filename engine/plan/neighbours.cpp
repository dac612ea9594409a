// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/neighbours.h"

#include "engine/layout/check.h"
#include "engine/plan/partition_layout.h"
#include "engine/schedule/custom.h"
#include "engine/schedule/registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab {
namespace {

std::string listText(const std::vector<int>& list) { return fmt::format("[{}]", fmt::join(list, ", ")); }

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
    void offer(Move move, Layout layout, std::string change) {
        if (stageCount(layout) != stageCount(layout_) && !layout.schedule.stages.empty()) layout.schedule.stages.clear();
        if (layout.schedule.stages.empty() && stageLayers(layout).empty())
            layout.schedule.stages = balancedStages(layout, Mesh(layout), measurements_);
        if (check(layout, scheduleMethods()).empty()) found_.push_back({move, choiceOf(layout), std::move(change)});
    }

    void microbatches() {
        const int micro = layout_.batch.micro, share = layout_.batch.global / layout_.parallel.data;
        const auto take = [&](int other) {
            Layout layout = layout_;
            layout.batch.micro = other;
            offer(Move::Microbatch, layout,
                  fmt::format("micro {} instead of {} ({} microbatch{})", other, micro, share / other,
                              share == other ? "" : "es"));
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
            // Without a flush another mathematics is trained: no better way to the same.
            if (method.name == layout_.schedule.kind || method.flushes != flushes(layout_)) continue;
            Layout layout = withScheduleKind(layout_, method.name);
            layout.schedule.chunks = std::clamp(layout_.schedule.chunks, method.minChunks, method.maxChunks);
            if (!method.takesLimit) layout.schedule.inFlight = 0;
            std::string change = fmt::format("schedule {} instead of {}", method.name, layout_.schedule.kind);
            if (layout.schedule.chunks != layout_.schedule.chunks)
                change += fmt::format(" with {} chunk{}", layout.schedule.chunks, layout.schedule.chunks == 1 ? "" : "s");
            offer(Move::Schedule, layout, std::move(change));
        }
    }

    void stages() {
        Layout layout = layout_;
        layout.schedule.stages = balancedStages(layout_, Mesh(layout_), measurements_);
        const std::vector<int> present = stageLayers(layout_);
        if (layout.schedule.stages.empty() || layout.schedule.stages == present) return;
        offer(Move::Stages, layout,
              fmt::format("stages {} instead of {}", listText(layout.schedule.stages), listText(present)));
    }

    void degrees() {
        const ParallelSpec& now = layout_.parallel;
        const auto exchange = [&](int data, int pipeline) {
            Layout layout = layout_;
            layout.parallel.data = data;
            layout.parallel.pipeline = pipeline;
            offer(Move::Degrees, layout,
                  fmt::format("data {} × pipeline {} instead of {} × {}", data, pipeline, now.data, now.pipeline));
        };
        for (int factor = 2; factor <= std::max(now.data, now.pipeline); ++factor) {
            bool prime = true;
            for (int i = 2; i <= factor / i; ++i) prime = prime && factor % i != 0;
            if (!prime) continue;
            if (now.pipeline % factor == 0) exchange(now.data * factor, now.pipeline / factor);
            if (now.data % factor == 0) exchange(now.data / factor, now.pipeline * factor);
        }
    }

    void recompute() {
        const std::string& now = layout_.memory.recompute;
        if (now == "none") return;
        for (const char* less : {"none", "selective"}) {
            if (now == less) continue;
            Layout layout = layout_;
            layout.memory.recompute = less;
            offer(Move::Recompute, layout, fmt::format("recompute {} instead of {}", less, now));
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

}  // namespace shardlab
