// SPDX-License-Identifier: Apache-2.0
// How a histogram of gradient exponents is told as counters (EventKind::GradientExponents): one for each bin that is
// not empty, all of one step and rank; `bytes` is the bin, `value` how many gradients it counts.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>

namespace shardlab::trace {

/// Bin i counts 2^(firstExponent+i) ≤ |gradient| < 2^(firstExponent+i+1); the first and the last what lies beyond, too.
/// The gradients are as they were summed up, times the loss scale.
inline constexpr int firstExponent = -64;
inline constexpr int exponentBins = 96;
inline constexpr std::int64_t zeroBin = exponentBins;  ///< gradients that are 0, or vanished
inline constexpr std::int64_t notFiniteBin = exponentBins + 1;
/// fp16: below the first all bits are gone; below the second, digits; above the last, infinity.
inline constexpr int fp16Smallest = -24;
inline constexpr int fp16SmallestNormal = -14;
inline constexpr int fp16Largest = 15;

}  // namespace shardlab::trace
