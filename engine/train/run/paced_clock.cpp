// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/paced_clock.h"

#include "engine/base/clock.h"
#include "engine/predict/plan/layer_moments.h"
#include "engine/train/comm/scalars.h"

#include <algorithm>
#include <cmath>
#include <time.h>
#include <utility>
#include <vector>

namespace shardlab::train {

namespace {

constexpr std::int64_t spinNanoseconds = 80'000;  // a sleep on an idle machine lasts about so much too long

void sleepUntilMonotonic(std::int64_t nanoseconds) {
    const timespec until{nanoseconds / nsPerSecond, nanoseconds % nsPerSecond};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {}
}

}  // namespace

PacedClock::PacedClock(RankTrace& trace, Device& device, const StepCosts& costs, const FaultInjector* faults,
                       bool coresFree)
    : trace_(trace), device_(device), costs_(costs), faults_(faults), coresFree_(coresFree),
      unmodelled_(trace, device, faults) {}

std::int64_t PacedClock::duration(const Action& action) const {
    return toNanoseconds(costs_.seconds(action) * (isCompute(action.kind) ? slowdown() : 1));
}

std::int64_t PacedClock::proposedStart() const { return std::max(now_, trace_.now()); }

void PacedClock::startStep(Communicator& members) { now_ = largest(members, proposedStart()); }

void PacedClock::align(std::initializer_list<Communicator*> groups) {
    if (std::ranges::all_of(groups, [](const Communicator* group) { return group->size() == 1; })) return;
    std::int64_t latest = now_;
    for (Communicator* group : groups) latest = largest(*group, latest);
    waitUntil(latest);
}

std::int64_t PacedClock::meet(Communicator& group, const Action& action) {
    const std::int64_t begin = largest(group, now_);
    const std::int64_t end = begin + largest(group, duration(action));
    waitUntil(begin);
    return end;
}

void PacedClock::waitUntil(std::int64_t moment) {
    now_ = std::max(now_, moment);
    sleepUntil(now_);
}

void PacedClock::finishAt(const Action& action, std::int64_t end) {
    device_.synchronize();
    moveTo(action, end);
}

void PacedClock::finishPart(const Action& compute, double seconds) {
    moveTo(compute, now_ + toNanoseconds(seconds * slowdown()));
}

void PacedClock::moveTo(const Action& action, std::int64_t end) {
    const auto share = static_cast<std::int64_t>(toleranceShare * static_cast<double>(end - now_));
    now_ = end;
    const std::int64_t late = trace_.now() - now_;
    if (late <= std::max(toleranceNanoseconds, share)) return sleepUntil(now_);
    now_ += late;
    trace_.overrun(action, toSeconds(late));
}

void PacedClock::sleepUntil(std::int64_t moment) const {
    const std::int64_t left = moment - trace_.now();
    if (left <= 0) return;
    const std::int64_t spin = coresFree_ ? spinNanoseconds : 0;
    if (left > spin) sleepUntilMonotonic(monotonicNanoseconds() + left - spin);
    while (trace_.now() < moment) {}
}

std::optional<TimeSpan> PacedClock::reserve(std::int64_t& linkFree, std::int64_t ready, std::int64_t duration) {
    const std::int64_t begin = std::max(ready, linkFree);
    linkFree = begin + duration;
    return TimeSpan{begin, linkFree};
}

LayerObservers PacedClock::layerObservers() {
    LayerObservers observers;
    observers.recompute = [this](const std::function<void()>& run) { observeRecompute(run); };
    observers.layers = [this](const LayerDone& done) { observeLayer(done); };
    return observers;
}

void PacedClock::note(bool ofRecompute) {
    trace_.noteMemory();
    notes_.push_back({now_, share_, ofRecompute});
}

void PacedClock::observeLayer(const LayerDone& done) {
    if (const Action action = trace_.action(); isCompute(action.kind)) share_ += shareOf(costs_, action, done);
    if (notesMemory(done)) note(false);
}

void PacedClock::observeRecompute(const std::function<void()>& run) {
    const std::int64_t begin = now_;
    note(true);
    run();
    note(true);
    if (now_ == begin) return;  // the whole action is paced as one, and recordParts() knows when this was
    trace_.span(Lane::Compute, EventKind::Recompute, begin, now_, trace_.action());
    recomputeRecorded_ = true;
}

void PacedClock::recordParts(const Action& action, std::int64_t begin) {
    const auto at = [&](double share) { return begin + std::llround(share * static_cast<double>(now_ - begin)); };
    for (const TensorSpan& span : costs_.tensorSpans(action))
        trace_.tensorSpan(span.kind, span.layer, at(span.begin), at(span.end), action, span.bytes);
    std::vector<std::int64_t> recomputes;
    if (!std::exchange(recomputeRecorded_, false))
        for (const ActionPart& part : costs_.recomputed(action)) {
            trace_.span(Lane::Compute, EventKind::Recompute, at(part.begin), at(part.end), action);
            recomputes.insert(recomputes.end(), {at(part.begin), at(part.end)});
        }
    trace_.recordNoted(momentsOfNotes(begin, recomputes));
    notes_.clear();
    share_ = 0;
}

std::vector<std::int64_t> PacedClock::momentsOfNotes(std::int64_t begin,
                                                     const std::vector<std::int64_t>& recomputes) const {
    std::vector<std::int64_t> moments;
    // Where layers are paced one by one, the clock has told when each was done.
    if (std::ranges::any_of(notes_, [&](const Note& note) { return note.now != begin; })) {
        for (const Note& note : notes_) moments.push_back(note.now);
        return moments;
    }
    if (std::ranges::count(notes_, true, &Note::ofRecompute) != std::ssize(recomputes)) return {};
    // Else layers share the time between the moments that are known, as the cost model has it.
    std::int64_t from = begin;
    double done = 0;
    auto recompute = recomputes.begin();
    for (auto note = notes_.begin(); note != notes_.end();) {
        const auto known = std::find_if(note, notes_.end(), [](const Note& each) { return each.ofRecompute; });
        const bool last = known == notes_.end();
        const std::int64_t to = last ? now_ : *recompute;
        const double all = (last ? share_ : known->share) - done;
        for (; note != known; ++note)
            moments.push_back(
                from + std::llround((all > 0 ? (note->share - done) / all : 1) * static_cast<double>(to - from)));
        if (last) break;
        moments.push_back(*recompute++);
        from = to;
        done = known->share;
        ++note;
    }
    return moments;
}

}  // namespace shardlab::train
