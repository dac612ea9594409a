// SPDX-License-Identifier: Apache-2.0
// The machine's clocks: the monotonic one, which every rank of one host shares, and the date.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>
#include <string>
#include <time.h>

namespace shardlab::base {

// Moments and durations of the engine are whole nanoseconds.
inline constexpr std::int64_t nsPerMillisecond = 1'000'000;
inline constexpr std::int64_t nsPerSecond = 1'000'000'000;

/// Nanoseconds of CLOCK_MONOTONIC.
inline std::int64_t monotonicNanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * nsPerSecond + now.tv_nsec;
}

constexpr double toSeconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }
constexpr std::int64_t toNanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e9 + 0.5); }

/// Says whose monotonic clock it is: all processes of a host have the same id until the host starts anew. Empty where
/// the system does not tell it.
std::string bootId();

/// The date as files say when they were made: "2026-11-27T23:35:18Z".
std::string utcNow();

}  // namespace shardlab::base
