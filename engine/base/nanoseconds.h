// SPDX-License-Identifier: Apache-2.0
// Moments and durations of the engine are whole nanoseconds.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>

namespace shardlab::base {

inline constexpr std::int64_t nsPerMillisecond = 1'000'000;
inline constexpr std::int64_t nsPerSecond = 1'000'000'000;

}  // namespace shardlab::base
