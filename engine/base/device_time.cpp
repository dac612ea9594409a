// SPDX-License-Identifier: Apache-2.0
#include "engine/base/device_time.h"

#include "engine/base/units.h"

#include <cmath>
#include <limits>

namespace shardlab::base {
namespace {

std::int64_t rounded(double nanoseconds) {
    constexpr double largest = 9.2e18;  // the next double above is no int64
    if (nanoseconds >= largest) return std::numeric_limits<std::int64_t>::max();
    if (nanoseconds <= -largest) return std::numeric_limits<std::int64_t>::min();
    return std::llround(nanoseconds);
}

}  // namespace

DeviceTime::DeviceTime(double stretch) : stretch_(std::isfinite(stretch) && stretch > 0 ? stretch : 1) {}

std::int64_t DeviceTime::nanoseconds(std::int64_t onClock) const {
    return isClock() ? onClock : rounded(static_cast<double>(onClock) / stretch_);
}

std::int64_t DeviceTime::nanosecondsOnClock(std::int64_t nanoseconds) const {
    return isClock() ? nanoseconds : rounded(static_cast<double>(nanoseconds) * stretch_);
}

Sentence DeviceTime::text() const {
    if (isClock()) return {};
    return stretch_ > 1 ? say("slowed {} × to watch", formatCount(stretch_))
                        : say("sped up {} × to watch", formatCount(1 / stretch_));
}

Sentence DeviceTime::text(double stepSeconds) const {
    if (isClock()) return {};
    return say("{}: a step lasts {}", text(), formatSeconds(onClock(stepSeconds)));
}

}  // namespace shardlab::base
