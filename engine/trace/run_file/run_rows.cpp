// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/run_rows.h"

#include <algorithm>

namespace shardlab::trace {

bool RunPosition::take(const BlockPart& part) {
    if (part.block <= 0 || part.count == 0) return false;
    const auto known = lanes.find(part.of);
    const bool goesOn = known != lanes.end() && known->second.block == part.block;
    if (goesOn ? part.first != known->second.taken : part.first != 0) return false;
    if (!goesOn && known != lanes.end() && part.block < known->second.block) return false;
    lanes[part.of] = {part.block, part.first + part.count};
    return true;
}

std::int64_t RunPosition::lastBlock(EventSource source) const {
    std::int64_t last = 0;
    for (const auto& [lane, place] : lanes)
        if (lane.source == source) last = std::max(last, place.block);
    return last;
}

}  // namespace shardlab::trace
