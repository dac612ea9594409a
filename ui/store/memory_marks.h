// SPDX-License-Identifier: GPL-3.0-or-later
// What stays known of the memory samples of a block when they go: enough for the state after it, for the largest sum
// within it, and for a curve from afar.
#pragma once

#include "engine/base/memory_category.h"
#include "ui/store/decoded_block.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardlab::ui {

/// Bytes by category at a moment; unknownMemory where the samples looked at do not tell.
struct MemoryState {
    std::int64_t time = 0;
    MemoryBytes bytes{};
};
inline constexpr std::int64_t unknownMemory = -1;

struct MemoryMarks {
    std::int64_t count = 0;                                ///< samples
    std::int64_t first = 0, last = 0;                      ///< moments of the first and the last
    MemoryState after;                                     ///< as the block alone tells it
    std::array<std::int64_t, memoryCategoryCount> told{};  ///< when `after` was told, by category; where it is known
    /// For each set of known categories, the moment with the largest sum.
    std::vector<MemoryState> largest;
    std::vector<MemoryState> some;  ///< a few moments, evenly among the samples; ascending

    std::size_t bytes() const { return (largest.capacity() + some.capacity()) * sizeof(MemoryState); }
};

/// `samples` ascending by time.
MemoryMarks memoryMarks(std::span<const MemorySample> samples);

/// The marks of all samples of two blocks; `largest` is exact. Nothing where the samples interleave.
std::optional<MemoryMarks> joined(const MemoryMarks& first, const MemoryMarks& second);

/// `state` with what it does not know taken from `before`.
MemoryBytes completed(const MemoryBytes& state, const MemoryBytes& before);

}  // namespace shardlab::ui
