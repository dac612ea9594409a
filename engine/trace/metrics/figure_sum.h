// SPDX-License-Identifier: Apache-2.0
// Sums of nanoseconds and bytes that never overflow, whatever a damaged or made-up event says.
#pragma once

#include "engine/trace/event/legal_time.h"

#include <algorithm>
#include <cstdint>

namespace shardlab::trace {

inline constexpr std::int64_t mostFigure = latestTime;  ///< 36 years, an exbibyte: no run has more

constexpr std::int64_t asFigure(std::int64_t value) { return std::clamp<std::int64_t>(value, 0, mostFigure); }
/// `sum` and `by` are figures: 0 to mostFigure.
constexpr void grow(std::int64_t& sum, std::int64_t by) { sum = std::min(sum + by, mostFigure); }

}  // namespace shardlab::trace
