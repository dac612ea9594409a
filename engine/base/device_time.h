// SPDX-License-Identifier: Apache-2.0
// A paced run does in a person's time what the modelled devices do in theirs: its clock shows each of their times
// `stretch` times as long. What people are told are the devices' own times; only what the run's clock decides,
// deadlines say, goes by that clock.
#pragma once

#include "engine/base/sentence.h"

#include <cstdint>

namespace shardlab::base {

class DeviceTime {
public:
    DeviceTime() = default;
    /// A run that is not paced has the factor 1; what is no factor, in a damaged file, counts as 1 too.
    explicit DeviceTime(double stretch);

    double stretch() const { return stretch_; }
    bool isClock() const { return stretch_ == 1; }  ///< the run's clock shows device time
    /// Seconds of the devices, of seconds on the run's clock.
    double seconds(double onClock) const { return onClock / stretch_; }
    /// Seconds on the run's clock, of seconds of the devices.
    double onClock(double seconds) const { return seconds * stretch_; }
    /// The device time of nanoseconds on the clock, rounded; a value outside int64 becomes the nearest int64.
    std::int64_t nanoseconds(std::int64_t onClock) const;
    std::int64_t nanosecondsOnClock(std::int64_t nanoseconds) const;
    /// "slowed 10.8 × to watch", or "sped up 3 × to watch"; empty where isClock().
    Sentence text() const;
    /// "slowed 10.8 × to watch: a step lasts 1 min 0 s", of a step's seconds on the devices; empty where isClock().
    Sentence text(double stepSeconds) const;

private:
    double stretch_ = 1;
};

}  // namespace shardlab::base
