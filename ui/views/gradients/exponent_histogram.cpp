// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/gradients/exponent_histogram.h"

#include "engine/trace/event/event_payload.h"
#include "ui/core/step_counters.h"

#include <algorithm>
#include <numeric>

namespace shardlab::ui {

double ExponentCounts::all() const { return std::accumulate(bins.begin(), bins.end(), zeros + notFinite); }

double ExponentCounts::within(int first, int last) const {
    double sum = 0;
    for (int exponent = std::max(first, firstExponent); exponent <= std::min(last, firstExponent + exponentBins - 1);
         ++exponent)
        sum += bins[static_cast<std::size_t>(exponent - firstExponent)];
    return sum;
}

HalfFit halfFit(const ExponentCounts& counts) {
    constexpr int lastExponent = firstExponent + exponentBins - 1;
    return {counts.within(firstExponent, fp16Smallest - 1), counts.within(fp16Smallest, fp16SmallestNormal - 1),
            counts.within(fp16SmallestNormal, fp16Largest), counts.within(fp16Largest + 1, lastExponent)};
}

std::vector<int> recordedSteps(const RunModel& model) {
    std::vector<int> steps;
    const auto& all = model.points().of(EventKind::GradientExponents);
    for (auto event = all.begin(); event != all.end();) {
        const int step = event->step;
        steps.push_back(step);
        event = std::partition_point(event, all.end(), [step](const Event& e) { return e.step <= step; });
    }
    return steps;
}

ExponentCounts exponentsAt(const RunModel& model, int step, int rank) {
    ExponentCounts counts;
    const auto& all = model.points().of(EventKind::GradientExponents);
    if (all.empty()) return counts;
    const Event* last = atStep(all, step);
    counts.step = last ? last->step : all.front().step;
    auto event = std::partition_point(all.begin(), all.end(), [&](const Event& e) { return e.step < counts.step; });
    for (; event != all.end() && event->step == counts.step; ++event) {
        counts.begin = event->begin;
        if (rank >= 0 && event->rank != rank) continue;
        const std::int64_t bin = exponentBin(*event);
        if (bin == zeroBin) counts.zeros += event->value;
        else if (bin == notFiniteBin) counts.notFinite += event->value;
        else if (bin >= 0 && bin < exponentBins) counts.bins[static_cast<std::size_t>(bin)] += event->value;
    }
    return counts;
}

}  // namespace shardlab::ui
