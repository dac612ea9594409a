// SPDX-License-Identifier: Apache-2.0
// What memory is held for. Arena, ledger, events and views all use these six.
#pragma once

#include "engine/base/wings.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace shardlab::base {

enum class MemoryCategory : std::uint8_t { Parameters, Gradients, Optimizer, Activations, Buffers, Temporary };
inline constexpr int memoryCategoryCount = 6;

/// Bytes by category, indexed by MemoryCategory.
using MemoryBytes = std::array<std::int64_t, memoryCategoryCount>;

inline std::string_view name(MemoryCategory category) {
    constexpr std::array<std::string_view, memoryCategoryCount> names{"parameters",  "gradients", "optimizer",
                                                                      "activations", "buffers",   "temporary"};
    return names[static_cast<std::size_t>(category)];
}

inline std::int64_t total(const MemoryBytes& bytes) {
    std::int64_t sum = 0;
    for (std::int64_t part : bytes) sum += part;
    return sum;
}

}  // namespace shardlab::base
