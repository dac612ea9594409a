// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/hosts/clock_estimate.h"

#include "engine/base/clock.h"

#include <cmath>

namespace shardlab::launch {
namespace {

constexpr std::size_t kept = 60;
constexpr std::int64_t leastBaseline = 8 * nsPerSecond;
constexpr double worstDrift = 100e-6;  // of quartz against quartz, where nothing else is known

}  // namespace

void ClockEstimate::add(const Ping& ping) {
    const std::int64_t trip = (ping.back - ping.sent) - (ping.answered - ping.received);
    if (ping.back < ping.sent || ping.answered < ping.received || trip < 0) return;
    ++pings_;
    const Sample sample{ping.sent + (ping.back - ping.sent) / 2,
                        (ping.received - ping.sent) / 2 + (ping.answered - ping.back) / 2, trip / 2 + 1};
    if (samples_.empty() || sample.at / nsPerSecond != samples_.back().at / nsPerSecond) {
        samples_.push_back(sample);
        if (samples_.size() > kept) samples_.pop_front();
    } else if (sample.half < samples_.back().half) {
        samples_.back() = sample;
    }
}

/// Between the two pings that tell it best: short round trips, far apart.
ClockEstimate::Drift ClockEstimate::drift() const {
    const Sample *first = nullptr, *last = nullptr;
    double error = worstDrift;
    for (auto old = samples_.begin(); old != samples_.end(); ++old) {
        for (auto young = old + 1; young != samples_.end(); ++young) {
            if (young->at - old->at < leastBaseline) continue;
            const double bound =
                static_cast<double>(young->half + old->half) / static_cast<double>(young->at - old->at);
            if (bound >= error) continue;
            error = bound;
            first = &*old;
            last = &*young;
        }
    }
    if (!first) return {0, worstDrift};
    const double rate = static_cast<double>(last->offset - first->offset) / static_cast<double>(last->at - first->at);
    // Two clocks that are one show no drift beyond its error.
    return std::abs(rate) <= error ? Drift{0, 2 * error} : Drift{rate, error};
}

ClockReading ClockEstimate::at(std::int64_t now) const {
    const Drift rate = drift();
    ClockReading best;
    double least = INFINITY;
    for (const Sample& sample : samples_) {
        const auto age = static_cast<double>(now - sample.at);
        const double uncertainty = static_cast<double>(sample.half) + rate.error * std::abs(age);
        if (uncertainty >= least) continue;
        least = uncertainty;
        best = {sample.offset + std::llround(rate.rate * age), std::llround(uncertainty), rate.rate};
    }
    return best;
}

}  // namespace shardlab::launch
