// SPDX-License-Identifier: Apache-2.0
// A rank's memory over time, predicted or measured.
#pragma once

#include "engine/base/memory_category.h"

#include <cstdint>
#include <vector>

namespace shardlab::trace {

/// What is in use from `time` until the next point.
struct MemoryPoint {
    std::int64_t time = 0;  ///< nanoseconds: of the run's clock where measured, from the step's begin where predicted
    MemoryBytes bytes{};
    bool operator==(const MemoryPoint&) const = default;
};

struct MemoryCurve {
    std::vector<MemoryPoint> points;  ///< ascending; empty where nothing is known
    /// Largest sum. Predicted: that of some point. Measured: what the allocator counted, which may lie between the
    /// points, as those are taken at the ends of actions.
    std::int64_t peak = 0;

    /// What is in use at `time`; nullptr before the first point.
    const MemoryPoint* at(std::int64_t time) const;
    /// The point with the largest sum, the first of them; nullptr where there is none.
    const MemoryPoint* highest() const;
};

}  // namespace shardlab::trace
