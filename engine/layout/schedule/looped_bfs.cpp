// SPDX-License-Identifier: Apache-2.0
// Looped breadth-first: all microbatches go forward through a rank's first chunk, then all through its second …; all
// backwards follow in the opposite order of chunks and of microbatches. The order is torch.distributed.pipelining's in
// full.
#include <algorithm>

#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {

Schedule generateLoopedBfs(const ScheduleShape& shape) {
    Schedule schedule = emptySchedule("looped-bfs", shape);
    for (int rank = 0; rank < shape.ranks; ++rank) {
        std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        for (int chunk = 0; chunk < shape.chunks; ++chunk)
            for (int microbatch = 0; microbatch < shape.microbatches; ++microbatch)
                actions.push_back({ActionKind::Forward, chunk * shape.ranks + rank, microbatch});
        for (std::size_t i = actions.size(); i-- > 0;)
            actions.push_back({ActionKind::Backward, actions[i].stage, actions[i].microbatch});
    }
    return schedule;
}

double loopedBfsBubble(const ScheduleShape& shape) {
    const double p = shape.ranks, v = shape.chunks, m = shape.microbatches;
    return 1 - v * m / ((v - 1) * std::max(m, p) + m + p - 1);
}

}  // namespace shardlab::layout
