// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/memory_curve.h"

#include <algorithm>

namespace shardlab::trace {

const MemoryPoint* MemoryCurve::at(std::int64_t time) const {
    const auto after = std::ranges::upper_bound(points, time, {}, &MemoryPoint::time);
    return after == points.begin() ? nullptr : &*(after - 1);
}

const MemoryPoint* MemoryCurve::highest() const {
    const auto sum = [](const MemoryPoint& point) { return total(point.bytes); };
    const auto highest = std::ranges::max_element(points, {}, sum);
    return highest == points.end() ? nullptr : &*highest;
}

}  // namespace shardlab::trace
