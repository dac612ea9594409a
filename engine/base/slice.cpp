// SPDX-License-Identifier: Apache-2.0
#include "engine/base/slice.h"

#include <algorithm>

namespace shardlab {

std::int64_t wholeElements(const Slice& slice) {
    std::int64_t count = 1;
    for (const int extent : slice.whole) count *= extent;
    return count;
}

std::int64_t sliceElements(const Slice& slice) {
    return slice.axis < 0 ? wholeElements(slice) : wholeElements(slice) / slice.parts;
}

std::vector<SliceRun> sliceRuns(const Slice& slice, std::int64_t begin, std::int64_t count) {
    if (slice.axis < 0) return {{begin, begin, count}};
    std::int64_t inner = 1;  // elements of one index of the axis
    for (std::size_t i = static_cast<std::size_t>(slice.axis) + 1; i < slice.whole.size(); ++i) inner *= slice.whole[i];
    const std::int64_t group = slice.whole[static_cast<std::size_t>(slice.axis)] / slice.groups * inner;
    const std::int64_t range = group / slice.parts;
    // The part is a sequence of ranges; range i of it begins at i·group + part·range of the whole.
    std::vector<SliceRun> runs;
    for (std::int64_t at = begin; at < begin + count;) {
        const std::int64_t inside = at % range;
        const std::int64_t length = std::min(range - inside, begin + count - at);
        const std::int64_t whole = at / range * group + slice.part * range + inside;
        if (!runs.empty() && runs.back().whole + runs.back().count == whole) runs.back().count += length;
        else runs.push_back({whole, at, length});
        at += length;
    }
    return runs;
}

}  // namespace shardlab
