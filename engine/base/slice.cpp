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

int wholeExtent(const Slice& slice) { return slice.whole[static_cast<std::size_t>(slice.axis)]; }
int runExtent(const Slice& slice) { return wholeExtent(slice) / slice.groups; }

/// Neighbouring indices of the axis.
struct AxisRange {
    int begin = 0;
    int count = 0;
};

/// Ranges of the axis that the part holds; all are as long as the first but that of a tail.
int rangesOf(const Slice& slice) { return sharersOfBundle(slice) > 1 ? 2 : slice.groups; }
AxisRange rangeOf(const Slice& slice, int number) {
    const int sharers = sharersOfBundle(slice);
    if (sharers == 1) {
        const int extent = runExtent(slice);
        return {number * extent + rangeBegin(extent, slice.parts, slice.part, slice.together),
                rangeSize(extent, slice.parts, slice.part, slice.together)};
    }
    const int bundle = slice.part / sharers * slice.together, member = slice.part % sharers;
    const int before = slice.together - slice.tail;
    if (number == 0)
        return {bundle + rangeBegin(before, sharers, member, slice.unit),
                rangeSize(before, sharers, member, slice.unit)};
    return {bundle + before + rangeBegin(slice.tail, sharers, member), rangeSize(slice.tail, sharers, member)};
}

}  // namespace

int sharersOfBundle(const Slice& slice) {
    if (slice.tail == 0) return 1;
    const int bundles = runExtent(slice) / slice.together;
    return bundles > 0 && slice.parts > bundles ? slice.parts / bundles : 1;
}

int sliceExtent(const Slice& slice) {
    const int first = rangeOf(slice, 0).count;
    return sharersOfBundle(slice) > 1 ? first + rangeOf(slice, 1).count : slice.groups * first;
}

std::int64_t sliceElements(const Slice& slice) {
    if (slice.axis < 0) return wholeElements(slice);
    const int extent = wholeExtent(slice);
    return extent == 0 ? 0 : wholeElements(slice) / extent * sliceExtent(slice);
}

std::int64_t largestPart(const Slice& slice) {
    Slice last = slice;
    last.part = slice.parts - 1;
    return sliceElements(last);
}

std::vector<SliceRun> sliceRuns(const Slice& slice, std::int64_t begin, std::int64_t count) {
    if (slice.axis < 0) return {{begin, begin, count}};
    const std::int64_t inner = innerElements(slice), extent = wholeExtent(slice);
    const std::int64_t held = sliceExtent(slice) * inner, first = rangeOf(slice, 0).count * inner;
    // For each index before the axis the part has all its ranges, one after another.
    std::vector<SliceRun> runs;
    for (std::int64_t at = begin; at < begin + count;) {
        const std::int64_t outer = at / held;
        const auto number = static_cast<int>(std::min<std::int64_t>(at % held / first, rangesOf(slice) - 1));
        const AxisRange range = rangeOf(slice, number);
        const std::int64_t inside = at % held - number * first;
        const std::int64_t length = std::min(range.count * inner - inside, begin + count - at);
        const std::int64_t whole = (outer * extent + range.begin) * inner + inside;
        if (!runs.empty() && runs.back().whole + runs.back().count == whole) runs.back().count += length;
        else runs.push_back({whole, at, length});
        at += length;
    }
    return runs;
}

}  // namespace shardlab::base
