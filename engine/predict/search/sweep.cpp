// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/sweep.h"

#include "engine/layout/check/check.h"
#include "engine/layout/exchange.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>

namespace shardlab::predict {
namespace {

constexpr int mostChunksTried = 64;

bool legal(const Layout& layout) { return check(layout, scheduleMethods()).empty(); }

std::vector<Layout> withMicrobatches(const Layout& layout) {
    std::vector<Layout> all;
    const int share = layout.batch.global / std::max(1, workers(layout.parallel));
    for (int micro = share; micro >= 1; --micro) {
        if (share % micro != 0) continue;
        all.push_back(layout);
        all.back().batch.micro = micro;
    }
    return all;
}

std::vector<Layout> withPipelines(const Layout& layout) {
    std::vector<Layout> all;
    const int ranks = layout.parallel.data * layout.parallel.pipeline;
    for (int pipeline = 1; pipeline <= ranks; ++pipeline) {
        if (ranks % pipeline != 0) continue;
        Layout next = layout;
        next.parallel.pipeline = pipeline;
        next.parallel.data = ranks / pipeline;
        if (pipeline != layout.parallel.pipeline) next.schedule.stages.clear();
        // The largest microbatch, up to today's, with which the rest is legal.
        while (next.batch.micro > 1 && !legal(next)) --next.batch.micro;
        all.push_back(std::move(next));
    }
    return all;
}

std::vector<Layout> withChunks(const Layout& layout) {
    std::vector<Layout> all;
    const int most = std::min(mostChunksTried, layout.model.layers / std::max(1, layout.parallel.pipeline));
    for (int chunks = 1; chunks <= most; ++chunks) {
        all.push_back(layout);
        all.back().schedule.chunks = chunks;
        if (chunks != layout.schedule.chunks) all.back().schedule.stages.clear();
    }
    return all;
}

std::vector<Layout> variants(const Layout& layout, SweepAxis axis) {
    switch (axis) {
    case SweepAxis::Microbatches: return withMicrobatches(layout);
    case SweepAxis::Pipeline: return withPipelines(layout);
    case SweepAxis::Chunks: return withChunks(layout);
    }
    return {};
}

}  // namespace

Setting settingOf(const Layout& layout, SweepAxis axis) {
    const int value = axis == SweepAxis::Microbatches ? microbatches(layout)
                      : axis == SweepAxis::Pipeline   ? layout.parallel.pipeline
                                                      : layout.schedule.chunks;
    return {value, layout.parallel, layout.schedule, layout.batch.micro};
}

void apply(const Setting& setting, Layout& layout) {
    layout.parallel = setting.parallel;
    layout.schedule = setting.schedule;
    layout.batch.micro = setting.micro;
}

std::vector<Setting> legalSettings(const Layout& layout, SweepAxis axis) {
    std::vector<Setting> settings;
    const ParallelSpec& parallel = layout.parallel;
    if (std::min({layout.batch.global, layout.batch.micro, parallel.data, parallel.pipeline, layout.model.layers}) < 1)
        return settings;
    for (const Layout& variant : variants(layout, axis))
        if (legal(variant)) settings.push_back(settingOf(variant, axis));
    return settings;
}

Layout withSchedule(Layout layout, std::string_view kind) {
    const ScheduleMethod* method = findScheduleMethod(kind);
    if (kind != layout.schedule.kind) layout.schedule.actions.clear();  // an order of one's own is of no other kind
    layout.schedule.kind = kind;
    if (!method) return layout;
    const int chunks = std::clamp(layout.schedule.chunks, method->minChunks, method->maxChunks);
    if (chunks != layout.schedule.chunks) layout.schedule.stages.clear();
    layout.schedule.chunks = chunks;
    if (!method->takesLimit) layout.schedule.inFlight = 0;
    return layout;
}

}  // namespace shardlab::predict
