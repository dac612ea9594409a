// SPDX-License-Identifier: Apache-2.0
#include "engine/base/slice.h"

#include "engine/base/ranges.h"

#include <algorithm>

namespace shardlab::base {

std::int64_t wholeElements(const Slice& slice) {
    std::int64_t count = 1;
    for (const int extent : slice.whole) count *= extent;
    return count;
}

namespace {

/// Elements of one index of the axis.
std::int64_t innerElements(const Slice& slice) {
    std::int64_t inner = 1;
    for (std::size_t i = static_cast<std::size_t>(slice.axis) + 1; i < slice.whole.size(); ++i) inner *= slice.whole[i];
    return inner;
}

int runExtent(const Slice& slice) { return slice.whole[static_cast<std::size_t>(slice.axis)] / slice.groups; }

}  // namespace

std::int64_t sliceElements(const Slice& slice) {
    if (slice.axis < 0) return wholeElements(slice);
    const int extent = runExtent(slice);
    return extent == 0 ? 0 : wholeElements(slice) / extent * rangeSize(extent, slice.parts, slice.part, slice.together);
}

std::int64_t largestPart(const Slice& slice) {
    Slice last = slice;
    last.part = slice.parts - 1;
    return sliceElements(last);
}

std::vector<SliceRun> sliceRuns(const Slice& slice, std::int64_t begin, std::int64_t count) {
    if (slice.axis < 0) return {{begin, begin, count}};
    const std::int64_t inner = innerElements(slice);
    const int extent = runExtent(slice);
    const std::int64_t group = extent * inner;
    const std::int64_t first = rangeBegin(extent, slice.parts, slice.part, slice.together) * inner;
    const std::int64_t range = rangeSize(extent, slice.parts, slice.part, slice.together) * inner;
    // The part is a sequence of ranges; range i of it begins at i·group + first of the whole.
    std::vector<SliceRun> runs;
    for (std::int64_t at = begin; at < begin + count;) {
        const std::int64_t inside = at % range;
        const std::int64_t length = std::min(range - inside, begin + count - at);
        const std::int64_t whole = at / range * group + first + inside;
        if (!runs.empty() && runs.back().whole + runs.back().count == whole) runs.back().count += length;
        else runs.push_back({whole, at, length});
        at += length;
    }
    return runs;
}

}  // namespace shardlab::base
