// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/summary.h"

#include "engine/base/saturate.h"

#include <algorithm>
#include <limits>

namespace shardlab {
namespace {

bool endsBackward(EventKind kind) {
    return kind == EventKind::Backward || kind == EventKind::InputGrad || kind == EventKind::WeightGrad;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// −1 is none yet.
std::int64_t earlier(std::int64_t known, std::int64_t time) { return known < 0 ? time : std::min(known, time); }

void updateTime(StepSummary& step) {
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = 0;
    for (const RankStep& rank : step.ranks) {
        if (rank.end == 0) return;
        begin = std::min(begin, rank.begin);
        end = std::max(end, rank.end);
    }
    step.complete = true;
    step.seconds = static_cast<double>(end - begin) * 1e-9;
}

void updateOverlapping(StepSummary& step) {
    if (!step.complete) return;
    double sum = 0;
    for (const RankStep& rank : step.ranks) sum += static_cast<double>(rank.end - rank.begin);
    step.seconds = sum * 1e-9 / static_cast<double>(step.ranks.size());
    step.bubble = sum > 0 ? std::clamp(1.0 - static_cast<double>(step.busy) / sum, 0.0, 1.0) : 0;
}

}  // namespace

Summarizer::Summarizer(int ranks, bool flushes) : ranks_(std::max(ranks, 0)), flushes_(flushes) {}

void Summarizer::add(std::span<const Event> events) {
    for (const Event& event : events) {
        if (isRestart(event)) {
            if (restarts_.add(event)) forgetFrom(event.step);
            continue;
        }
        if (restarts_.superseded(event)) continue;
        if (event.kind == EventKind::ValidationLoss) addValidation(event);
        if (event.step < 0 || event.rank < 0 || event.rank >= ranks_ || event.begin < 0 || event.end < event.begin)
            continue;
        // Nearly always the same step as that of the event before.
        if (last_ >= steps_.size() || steps_[last_].step != event.step) last_ = find(event.step);
        add(event, steps_[last_]);
        if (!flushes_) updateOverlapping(steps_[last_]);
    }
}

void Summarizer::forgetFrom(std::int32_t step) {
    steps_.erase(std::ranges::lower_bound(steps_, step, {}, &StepSummary::step), steps_.end());
    validations_.erase(std::ranges::lower_bound(validations_, step, {}, &Validation::step), validations_.end());
    last_ = steps_.size();
}

std::size_t Summarizer::find(std::int32_t step) {
    const auto place = std::ranges::lower_bound(steps_, step, {}, &StepSummary::step);
    const auto index = static_cast<std::size_t>(place - steps_.begin());
    if (place != steps_.end() && place->step == step) return index;
    StepSummary fresh;
    fresh.step = step;
    fresh.ranks.resize(static_cast<std::size_t>(ranks_));
    fresh.loss = std::numeric_limits<double>::quiet_NaN();
    steps_.insert(place, std::move(fresh));
    return index;
}

void Summarizer::add(const Event& event, StepSummary& step) {
    RankStep& rank = step.ranks[static_cast<std::size_t>(event.rank)];
    const std::int64_t duration = event.end - event.begin;
    switch (event.kind) {
        case EventKind::Step:
            rank.begin = event.begin;
            rank.end = event.end;
            updateTime(step);
            return;
        case EventKind::Loss: step.loss = event.value; return;
        case EventKind::MemoryPeak: rank.peakBytes = std::max(rank.peakBytes, event.bytes); return;
        case EventKind::Wait: rank.waiting = saturatedSum(rank.waiting, duration); return;
        case EventKind::ReduceGradients:
        case EventKind::ReduceTied: rank.reduce = saturatedSum(rank.reduce, duration); return;
        case EventKind::Optimizer: rank.optimizer = saturatedSum(rank.optimizer, duration); [[fallthrough]];
        case EventKind::StashWeights:
            if (!flushes_) step.busy = saturatedSum(step.busy, duration);
            return;
        default: break;
    }
    if (isCompute(event.kind)) addCompute(event, step);
}

/// Every F, B, I and W of a step lies between its first forward and its last backward, so that the sums suffice. Kernels
/// have no direction: the first and the last stand for both. Those of several streams overlap and count once.
void Summarizer::addCompute(const Event& event, StepSummary& step) {
    RankStep& rank = step.ranks[static_cast<std::size_t>(event.rank)];
    const bool kernel = event.kind == EventKind::Kernel;
    const std::int64_t from = kernel ? std::max(event.begin, rank.kernelsEnd) : event.begin;
    const std::int64_t alone = std::max<std::int64_t>(event.end - from, 0);
    if (kernel) rank.kernelsEnd = std::max(rank.kernelsEnd, event.end);
    rank.busy = saturatedSum(rank.busy, alone);
    step.busy = saturatedSum(step.busy, alone);
    if (event.kind == EventKind::Forward || kernel) {
        rank.firstForward = earlier(rank.firstForward, event.begin);
        step.firstForward = earlier(step.firstForward, event.begin);
    }
    if (endsBackward(event.kind) || kernel) {
        rank.lastBackward = std::max(rank.lastBackward, event.end);
        step.lastBackward = std::max(step.lastBackward, event.end);
    }
    if (!flushes_ || step.firstForward < 0 || step.lastBackward <= step.firstForward) return;
    const double whole = static_cast<double>(step.lastBackward - step.firstForward) * ranks_;
    step.bubble = std::clamp(1.0 - static_cast<double>(step.busy) / whole, 0.0, 1.0);
}

void Summarizer::addValidation(const Event& event) {
    const auto place = std::ranges::lower_bound(validations_, event.step, {}, &Validation::step);
    if (place != validations_.end() && place->step == event.step) {
        place->loss = event.value;
    } else {
        validations_.insert(place, {event.step, event.value});
    }
}

double Summarizer::medianOf(double StepSummary::*figure) const {
    std::vector<double> values;
    std::size_t complete = 0;
    for (const StepSummary& step : steps_) {
        if (step.complete && ++complete > warmUpSteps) values.push_back(step.*figure);
    }
    return median(std::move(values));
}

double Summarizer::medianStepSeconds() const { return medianOf(&StepSummary::seconds); }
double Summarizer::medianBubble() const { return medianOf(&StepSummary::bubble); }

}  // namespace shardlab
