// SPDX-License-Identifier: Apache-2.0
// How far another host's monotonic clock is ahead of this one's, from pings. Whatever the paths of a ping's two halves
// were, the truth lies within half its round trip of the middle; so the uncertainty is a bound, as far as neither clock
// drifts faster than assumed.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>
#include <deque>

namespace shardlab::launch {

/// Moments in nanoseconds: `sent` and `back` on this machine's clock, `received` and `answered` on the other's.
struct Ping {
    std::int64_t sent = 0;
    std::int64_t received = 0;
    std::int64_t answered = 0;
    std::int64_t back = 0;
};

struct ClockReading {
    std::int64_t offset = 0;       ///< nanoseconds that the other clock is ahead
    std::int64_t uncertainty = 0;  ///< nanoseconds, either way
    double drift = 0;              ///< seconds that it gains in a second; 0 where it is too small to be known
};

class ClockEstimate {
public:
    static constexpr int leastPings = 20;
    static constexpr int enoughPings = 300;
    static constexpr std::int64_t goodHalf = 100'000;  ///< nanoseconds; half a round trip on an idle network is less

    /// Pings come in the order of `back`. One that cannot have happened (back before it was sent) is not counted.
    void add(const Ping& ping);
    int pings() const { return pings_; }
    /// Whether the estimate is good enough to begin with, or as good as it gets.
    bool ready() const { return pings_ >= enoughPings || (pings_ >= leastPings && samples_.back().half < goodHalf); }
    /// The reading at that moment of this machine's clock; needs one ping.
    ClockReading at(std::int64_t now) const;

private:
    /// The ping of a second with the shortest round trip.
    struct Sample {
        std::int64_t at = 0;  ///< when it was on the other host, by this machine's clock
        std::int64_t offset = 0;
        std::int64_t half = 0;  ///< half its round trip
    };
    struct Drift {
        double rate = 0;
        double error = 0;
    };
    Drift drift() const;

    std::deque<Sample> samples_;  ///< one a second, the last `kept` of them
    int pings_ = 0;
};

}  // namespace shardlab::launch
