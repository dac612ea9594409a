// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/analysis/comparison_side.h"

#include "engine/base/clock.h"
#include "engine/base/saturate.h"
#include "engine/trace/metrics/figure_sum.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <cmath>

namespace shardlab::trace {
namespace {

/// A receive lasts from its post, however long nothing was sent: what it costs is the wait. A step is all of them.
bool isCompared(const Event& event) {
    return isSpan(event.kind) && event.kind != EventKind::Step && event.kind != EventKind::Setup &&
           event.kind != EventKind::Validation && event.kind != EventKind::RecvForward &&
           event.kind != EventKind::RecvBackward;
}

const StepSummary* find(const Summarizer& summary, int step) {
    const auto place = std::ranges::lower_bound(summary.steps(), step, {}, &StepSummary::step);
    return place != summary.steps().end() && place->step == step ? &*place : nullptr;
}

}  // namespace

ComparisonSide::ComparisonSide(const RunHeader& header, bool predicted)
    : header_(header), device_(header.stretch), predicted_(predicted), mesh_(header.layout), sent_(sentBytesOf(header)),
      summary_(mesh_.ranks(), flushes(header.layout), sent_) {}

void ComparisonSide::add(std::span<const Event> events) {
    if (!predicted_) summary_.add(events);
    addSpans(events);
}

void ComparisonSide::put(const StepSummary& step) {
    StepSummary times = step;
    times.ranks = {};  // nothing below asks for them, and a long run has many
    summary_.put(std::move(times));
}

void ComparisonSide::addSpans(std::span<const Event> events) {
    for (const Event& event : events) {
        if (predicted_) grow(predictedSent_, sent_(event));
        if (restarts_.add(event) || restarts_.superseded(event)) continue;
        if (restarts_.ranksOf(event.step, mesh_.ranks()) < mesh_.ranks()) continue;
        if (!isCompared(event) || (event.step < 0 && !predicted_) || event.rank < 0 || event.rank >= mesh_.ranks())
            continue;
        // Names are numbered by each run for itself: what has one is compared by its kind.
        const ActionId action = nameNumber(event.action) != 0 ? 0 : event.action;
        std::vector<SpanTime>& times = spans_[{event.rank, event.kind, action}];
        const std::int32_t step = predicted_ ? 0 : event.step;
        auto place = times.end();
        if (!times.empty() && times.back().step >= step)
            place = std::ranges::lower_bound(times, step, {}, &SpanTime::step);
        if (place == times.end() || place->step != step) place = times.insert(place, {step, 0, 0});
        ++place->count;
        place->nanoseconds =
            saturatedSum(place->nanoseconds, std::max<std::int64_t>(0, saturatedDifference(event.end, event.begin)));
    }
}

std::vector<int> ComparisonSide::completeSteps() const {
    std::vector<int> steps;
    for (const StepSummary& step : summary_.steps())
        if (step.complete && step.active == mesh_.ranks() && step.detailed()) steps.push_back(step.step);
    return steps;
}

int ComparisonSide::stepsWithFewerRanks() const {
    return static_cast<int>(std::ranges::count_if(
        summary_.steps(), [this](const StepSummary& step) { return step.active < mesh_.ranks(); }));
}

double ComparisonSide::stepSeconds(int step) const {
    if (predicted_) return device_.seconds(header_.predictedStepSeconds);
    const StepSummary* found = find(summary_, step);
    return found ? device_.seconds(found->seconds) : 0;
}

double ComparisonSide::sentBytes(int step) const {
    if (predicted_) return static_cast<double>(predictedSent_);
    const StepSummary* found = find(summary_, step);
    return found ? static_cast<double>(found->moved) : 0;
}

double ComparisonSide::bubble(int step) const {
    if (predicted_) return header_.predictedBubble;
    const StepSummary* found = find(summary_, step);
    return found ? found->bubble : 0;
}

std::optional<double> ComparisonSide::loss(int step) const {
    const StepSummary* found = predicted_ ? nullptr : find(summary_, step);
    if (!found || !std::isfinite(found->loss)) return std::nullopt;
    return found->loss;
}

std::optional<std::int64_t> ComparisonSide::in(const std::vector<SpanTime>& times, int step) const {
    if (predicted_) return device_.nanoseconds(times.front().nanoseconds);
    const auto place = std::ranges::lower_bound(times, step, {}, &SpanTime::step);
    if (place == times.end() || place->step != step) return std::nullopt;
    return device_.nanoseconds(place->nanoseconds);
}

SpanSum ComparisonSide::over(const std::vector<SpanTime>& times, std::span<const int> steps) const {
    SpanSum sum;
    if (predicted_) {
        const auto often = static_cast<double>(steps.size());
        return {device_.seconds(toSeconds(times.front().nanoseconds)) * often,
                times.front().count * static_cast<std::int64_t>(steps.size()), static_cast<int>(steps.size())};
    }
    auto time = times.begin();
    for (const int step : steps) {
        while (time != times.end() && time->step < step) ++time;
        if (time == times.end()) break;
        if (time->step != step) continue;
        sum.seconds += device_.seconds(toSeconds(time->nanoseconds));
        sum.count += time->count;
        ++sum.steps;
    }
    return sum;
}

}  // namespace shardlab::trace
