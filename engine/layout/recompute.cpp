// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/recompute.h"

#include <algorithm>
#include <cmath>

namespace shardlab {
namespace {

/// 0: no segments.
int segmentLength(const MemorySpec& memory, int blocks) {
    if (memory.recompute == "full") return 1;
    if (memory.recompute == "every") return std::max(1, memory.recomputeEvery);
    if (memory.recompute == "sqrt") return std::max(1, static_cast<int>(std::lround(std::sqrt(blocks))));
    return 0;
}

}  // namespace

bool recomputesCore(const MemorySpec& memory) { return memory.recompute == "selective"; }

std::vector<int> recomputeSegments(const MemorySpec& memory, int blocks) {
    const int length = segmentLength(memory, blocks);
    std::vector<int> segments;
    if (length == 0) return segments;
    for (int begin = 0; begin < blocks; begin += length) segments.push_back(std::min(length, blocks - begin));
    return segments;
}

}  // namespace shardlab
