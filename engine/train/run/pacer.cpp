// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/pacer.h"

#include "engine/base/clock.h"

#include <algorithm>
#include <time.h>

namespace shardlab {

namespace {

constexpr std::int64_t spinNanoseconds = 80'000;  // what a sleep oversleeps by on an idle machine

void sleepUntilMonotonic(std::int64_t nanoseconds) {
    const timespec until{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {}
}

}  // namespace

Pacer::Pacer(const Recorder& clock, const StepCosts& costs, bool coresFree)
    : recorder_(clock), costs_(costs), coresFree_(coresFree) {}

std::int64_t Pacer::proposedStart() const { return std::max(clock_, recorder_.now()); }

void Pacer::sleepUntil(std::int64_t runTime) const {
    const std::int64_t left = runTime - recorder_.now();
    if (left <= 0) return;
    const std::int64_t spin = coresFree_ ? spinNanoseconds : 0;
    if (left > spin) sleepUntilMonotonic(monotonicNanoseconds() + left - spin);
    while (recorder_.now() < runTime) {}
}

void Pacer::waitForArrival(std::int64_t arrival) {
    clock_ = std::max(clock_, arrival);
    sleepUntil(clock_);
}

std::int64_t Pacer::duration(const Action& action) const {
    return toNanoseconds(costs_.seconds(action) * (isCompute(action.kind) ? slowdown_ : 1));
}

double Pacer::completeAt(std::int64_t end) {
    const auto share = static_cast<std::int64_t>(toleranceShare * static_cast<double>(end - clock_));
    clock_ = end;
    const std::int64_t late = recorder_.now() - clock_;
    if (late > std::max(toleranceNanoseconds, share)) {
        clock_ += late;
        return toSeconds(late);
    }
    sleepUntil(clock_);
    return 0;
}

Pacer::Transfer Pacer::send(const Action& send, int peer) {
    std::int64_t& free = linkFree_[peer];
    const std::int64_t begin = std::max(clock_, free);
    free = begin + duration(send);
    return {begin, free};
}

}  // namespace shardlab
