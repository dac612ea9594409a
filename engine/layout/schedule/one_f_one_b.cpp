// SPDX-License-Identifier: Apache-2.0
// 1F1B with flush: rank r warms up with p − r − 1 forwards, then one forward and one backward in turn, then the
// backwards that are left. At most min(m, p − r) microbatches are held.
//
// The order is what torch.distributed.pipelining runs. The picture that it can print differs in two ways: with fewer
// microbatches than ranks it names some that there are not, and it numbers the last rank's forwards from 1.
#include "engine/layout/schedule/generators.h"

#include <algorithm>

namespace shardlab::layout {

Schedule generateOneFOneB(const ScheduleShape& shape) {
    Schedule schedule = emptySchedule("1f1b", shape);
    for (int rank = 0; rank < shape.ranks; ++rank) {
        std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        int forward = 0;
        int backward = 0;
        for (const int warmUp = std::min(shape.ranks - rank - 1, shape.microbatches); forward < warmUp; ++forward)
            actions.push_back({ActionKind::Forward, rank, forward});
        while (forward < shape.microbatches) {
            actions.push_back({ActionKind::Forward, rank, forward++});
            actions.push_back({ActionKind::Backward, rank, backward++});
        }
        while (backward < shape.microbatches) actions.push_back({ActionKind::Backward, rank, backward++});
    }
    return schedule;
}

}  // namespace shardlab::layout
