// SPDX-License-Identifier: Apache-2.0
// A rank's part of a tensor, and where its elements lie in the whole: what checkpoints and layouts of every kind agree
// on.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>
#include <vector>

namespace shardlab::base {

/// Which part of a whole tensor a rank holds. Along `axis` the whole is `groups` equal runs (c_attn has three: query,
/// key, value); each run is cut into `parts` ranges (ranges.h: equal, or one bundle of what stays `together` apart
/// where the run does not divide), and the rank holds range `part` of every run, in order. axis = -1: all of it.
///
/// Where there are more parts than bundles, and bundles have a `tail`, equally many parts share each bundle of the one
/// run, one after another: of its indices before the tail each part holds a range, of which every `unit` stays
/// together, and then a range of the tail.
struct Slice {
    std::vector<int> whole;  ///< shape of the whole tensor
    int axis = -1;
    int parts = 1;
    int part = 0;
    int groups = 1;
    int together = 1;  ///< indices that no cut parts, as the columns of a head; a run is a multiple of them
    int tail = 0;      ///< the last so many of a bundle; 0: parts share no bundle
    int unit = 1;      ///< divides the indices before them
};

/// Elements of the whole tensor.
std::int64_t wholeElements(const Slice& slice);
/// Parts that share each bundle; 1 where each has bundles of its own.
int sharersOfBundle(const Slice& slice);
/// Indices of the axis that the part holds; there must be an axis.
int sliceExtent(const Slice& slice);
/// Elements of the part.
std::int64_t sliceElements(const Slice& slice);
/// Elements of the part that has most.
std::int64_t largestPart(const Slice& slice);

/// Elements that follow each other both in the whole and in the part, row by row.
struct SliceRun {
    std::int64_t whole = 0;  ///< first element's place in the whole
    std::int64_t part = 0;   ///< and in the part
    std::int64_t count = 0;
};

/// The part's elements `begin` … `begin + count`, in order, in runs as long as they come.
std::vector<SliceRun> sliceRuns(const Slice& slice, std::int64_t begin, std::int64_t count);

}  // namespace shardlab::base
