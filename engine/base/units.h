// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: always with the unit shown.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardlab::base {

/// Binary units, three significant digits: "512 B", "1.25 MiB", "61.2 GiB".
std::string formatBytes(std::int64_t bytes);
/// The exact number of bytes in the largest unit that divides it: "500 MB", "2 GiB", "1048577 B".
std::string exactBytes(std::int64_t bytes);
/// "500 MB" (10⁶ each), "1.5 GiB" (2³⁰ each), "1048576"; small letters too. Nothing where it is no whole number of
/// bytes in 64 bits.
std::optional<std::int64_t> readBytes(std::string_view text);
/// "612 ms", "1.25 s", "14.2 µs", "820 ns"; minutes and hours as "3 min 12 s", "2 h 5 min".
std::string formatSeconds(double seconds);
/// SI prefixes, three significant digits: "428 k", "1.21 M", "37.5".
std::string formatCount(double count);
/// A fraction as "9.1 %".
std::string formatPercent(double fraction);
/// "450 GB/s" (decimal, as links are sold).
std::string formatBandwidth(double bytesPerSecond);

}  // namespace shardlab::base
