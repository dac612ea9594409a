// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/summary.h"

#include "engine/base/clock.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/metrics/figure_sum.h"
#include "engine/base/median.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace shardlab::trace {
namespace {

bool endsBackward(EventKind kind) {
    return kind == EventKind::Backward || kind == EventKind::InputGrad || kind == EventKind::WeightGrad;
}

/// −1 is none yet.
std::int64_t earlier(std::int64_t known, std::int64_t time) { return known < 0 ? time : std::min(known, time); }

void updateTime(StepSummary& step) {
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    step.end = 0;
    for (const RankStep& rank : step.ranks) {
        if (rank.end == 0) continue;
        begin = std::min(begin, rank.begin);
        step.end = std::max(step.end, rank.end);
    }
    step.begin = step.end == 0 ? 0 : begin;
    step.complete =
        std::ranges::count_if(step.ranks, [](const RankStep& rank) { return rank.end != 0; }) >= step.active;
    if (step.complete) step.seconds = toSeconds(step.end - step.begin);
}

void updateOverlapping(StepSummary& step) {
    if (!step.complete) return;
    double sum = 0;
    for (const RankStep& rank : step.ranks) sum += static_cast<double>(rank.end - rank.begin);
    step.seconds = sum * 1e-9 / std::max(step.active, 1);
    step.bubble = sum > 0 ? std::clamp(1.0 - static_cast<double>(step.busy) / sum, 0.0, 1.0) : 0;
}

/// Every F, B, I and W of a step lies between its first forward and its last backward, so that the sums suffice.
/// Kernels have no direction: the first and the last stand for both. Those of several streams overlap and count once.
void addCompute(StepSummary& step, const Event& event, bool flushes) {
    RankStep& rank = step.ranks[static_cast<std::size_t>(event.rank)];
    const bool kernel = event.kind == EventKind::Kernel;
    const std::int64_t from = kernel ? std::max(event.begin, rank.kernelsEnd) : event.begin;
    const std::int64_t alone = std::max<std::int64_t>(event.end - from, 0);
    if (kernel) rank.kernelsEnd = std::max(rank.kernelsEnd, event.end);
    grow(rank.busy, alone);
    grow(step.busy, alone);
    if (event.kind == EventKind::Forward || kernel) {
        rank.firstForward = earlier(rank.firstForward, event.begin);
        step.firstForward = earlier(step.firstForward, event.begin);
    }
    if (endsBackward(event.kind) || kernel) {
        rank.lastBackward = std::max(rank.lastBackward, event.end);
        step.lastBackward = std::max(step.lastBackward, event.end);
    }
    if (!flushes || step.firstForward < 0 || step.lastBackward <= step.firstForward) return;
    const double whole = static_cast<double>(step.lastBackward - step.firstForward) * std::max(step.active, 1);
    step.bubble = std::clamp(1.0 - static_cast<double>(step.busy) / whole, 0.0, 1.0);
}

}  // namespace

bool countsIn(const Event& event, int ranks) {
    return event.rank >= 0 && event.rank < ranks && event.begin >= 0 && event.end >= event.begin &&
           event.end <= mostFigure;
}

std::int64_t nanosecondsOf(double seconds) {
    return seconds > 0 ? std::llround(std::min(seconds, 1e6) * 1e9) : 0;  // NaN is no time either
}

StepSummary StepSummary::of(int step, int ranks, int active) {
    StepSummary fresh;
    fresh.step = step;
    fresh.active = active;
    fresh.ranks.resize(static_cast<std::size_t>(ranks));
    fresh.loss = std::numeric_limits<double>::quiet_NaN();
    return fresh;
}

void StepSummary::add(const Event& event, bool flushes, const SentBytes& sent) {
    RankStep& rank = ranks[static_cast<std::size_t>(event.rank)];
    const std::int64_t duration = event.end - event.begin;
    if (const std::int64_t bytes = sent(event); bytes > 0) {
        grow(rank.moved, bytes);
        grow(moved, bytes);
    }
    switch (event.kind) {
    case EventKind::Step:
        rank.begin = event.begin;
        rank.end = event.end;
        withoutDetails -= rank.withoutDetails;
        withoutDetails += rank.withoutDetails = lacksDetails(event) ? 1 : 0;
        updateTime(*this);
        break;
    case EventKind::Loss: loss = event.value; break;
    case EventKind::ValidationLoss: validation = event.value; break;
    case EventKind::MemoryPeak: rank.peakBytes = std::max(rank.peakBytes, asFigure(event.bytes)); break;
    case EventKind::Wait: grow(rank.waiting, duration); break;
    case EventKind::Recompute: grow(rank.recompute, duration); break;
    case EventKind::ReduceGradients:
    case EventKind::PushGradients:
    case EventKind::PullWeights:
    case EventKind::ExchangeElastic:
    case EventKind::ReduceTied: grow(rank.reduce, duration); break;
    case EventKind::HiddenComm:
        grow(rank.hidden = std::max<std::int64_t>(rank.hidden, 0), nanosecondsOf(event.value));
        break;
    case EventKind::ExposedComm:
        grow(rank.exposed = std::max<std::int64_t>(rank.exposed, 0), nanosecondsOf(event.value));
        break;
    case EventKind::PaceOverrun: grow(rank.overrun, nanosecondsOf(event.value)); break;
    case EventKind::Optimizer: grow(rank.optimizer, duration); [[fallthrough]];
    case EventKind::StashWeights:
        if (!flushes) grow(busy, duration);
        break;
    default:
        if (isCompute(event.kind)) addCompute(*this, event, flushes);
    }
    if (!flushes) updateOverlapping(*this);
}

Summarizer::Summarizer(int ranks, bool flushes, SentBytes sent)
    : ranks_(std::max(ranks, 0)), flushes_(flushes), sent_(std::move(sent)) {}

void Summarizer::add(std::span<const Event> events) {
    for (const Event& event : events) {
        if (isRestart(event)) {
            if (restarts_.add(event)) forgetFrom(event.step);
            continue;
        }
        if (restarts_.superseded(event)) continue;
        if (event.kind == EventKind::ValidationLoss) addValidation(event.step, event.value);
        if (event.step < 0 || !countsIn(event, ranks_)) continue;
        if (event.step < wholeFrom_ && isLeftOut(event.step)) continue;
        // Nearly always the same step as that of the event before.
        if (last_ >= steps_.size() || steps_[last_].step != event.step) last_ = find(event.step);
        steps_[last_].add(event, flushes_, sent_);
    }
}

void Summarizer::put(StepSummary step) {
    if (step.validation) addValidation(step.step, *step.validation);
    if (steps_.empty() || steps_.back().step < step.step) steps_.push_back(std::move(step));
    else steps_[find(step.step)] = std::move(step);
}

void Summarizer::leaveOut(std::span<const int> steps) {
    std::erase_if(steps_, [steps](const StepSummary& step) { return std::ranges::binary_search(steps, step.step); });
    last_ = steps_.size();
    if (!steps.empty()) wholeFrom_ = std::max(wholeFrom_, steps.back() + 1);
}

bool Summarizer::isLeftOut(std::int32_t step) const {
    return !std::ranges::binary_search(steps_, step, {}, &StepSummary::step);
}

void Summarizer::forgetFrom(std::int32_t step) {
    wholeFrom_ = std::min(wholeFrom_, step);
    steps_.erase(std::ranges::lower_bound(steps_, step, {}, &StepSummary::step), steps_.end());
    validations_.erase(std::ranges::lower_bound(validations_, step, {}, &Validation::step), validations_.end());
    last_ = steps_.size();
}

std::size_t Summarizer::find(std::int32_t step) {
    const auto place = std::ranges::lower_bound(steps_, step, {}, &StepSummary::step);
    const auto index = static_cast<std::size_t>(place - steps_.begin());
    if (place != steps_.end() && place->step == step) return index;
    steps_.insert(place, StepSummary::of(step, ranks_, restarts_.ranksOf(step, ranks_)));
    return index;
}

void Summarizer::addValidation(int step, double loss) {
    const auto place = std::ranges::lower_bound(validations_, step, {}, &Validation::step);
    if (place != validations_.end() && place->step == step) {
        place->loss = loss;
    } else {
        validations_.insert(place, {step, loss});
    }
}

template <class Figure>
double Summarizer::medianOf(Figure StepSummary::*figure, bool detailed) const {
    std::vector<double> values;
    std::size_t complete = 0;
    for (const StepSummary& step : steps_) {
        if (step.complete && ++complete > warmUpSteps && (!detailed || step.detailed()))
            values.push_back(static_cast<double>(step.*figure));
    }
    return median(std::move(values));
}

double Summarizer::medianStepSeconds() const { return medianOf(&StepSummary::seconds, false); }
double Summarizer::medianBubble() const { return medianOf(&StepSummary::bubble, true); }
bool Summarizer::computes() const { return std::ranges::any_of(steps_, &StepSummary::computes); }
double Summarizer::medianSentBytes() const { return medianOf(&StepSummary::moved, true); }
int Summarizer::withoutDetails() const {
    return static_cast<int>(std::ranges::count_if(steps_, [](const StepSummary& step) { return !step.detailed(); }));
}

}  // namespace shardlab::trace
