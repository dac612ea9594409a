// SPDX-License-Identifier: Apache-2.0
// The times that a run's clock can show. Whatever reads events from a file or a link refuses others there, so that
// nothing that counts, draws or exports them meets a time it cannot add to another.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/event/event.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace shardlab::trace {

/// 36 years before and after the run's begin: far more than a run lasts, or a host is up, and so little that eight
/// times as much, which a view may show, still fits 64 bits of nanoseconds.
inline constexpr std::int64_t latestTime = std::int64_t{1} << 60;
constexpr bool isLegalTime(std::int64_t time) { return time >= -latestTime && time <= latestTime; }

inline constexpr const char* legalTimes = "Times within 36 years of the run's begin";
/// Which of `events` lies outside, and when that is; none where all are legal.
std::optional<std::string> illegalTime(std::span<const Event> events);

}  // namespace shardlab::trace
