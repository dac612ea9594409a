// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/schedule.h"

#include <algorithm>

namespace shardlab::layout {

int Schedule::numbered() const { return microbatches + (ahead.empty() ? 0 : std::ranges::max(ahead)); }

std::vector<int> Schedule::stagesOf(int rank) const {
    std::vector<int> held;
    for (int stage = 0; stage < stages(); ++stage)
        if (rankOf(stage) == rank) held.push_back(stage);
    return held;
}

std::vector<int> Schedule::endRanks() const {
    if (rankOfStage.front() == rankOfStage.back()) return {rankOfStage.front()};
    return {rankOfStage.front(), rankOfStage.back()};
}

bool Schedule::crossesRanks(int lowerStage) const {
    const auto lower = static_cast<std::size_t>(lowerStage);
    return lowerStage >= 0 && lower + 1 < rankOfStage.size() && rankOfStage[lower] != rankOfStage[lower + 1];
}

}  // namespace shardlab::layout
