// SPDX-License-Identifier: Apache-2.0
// Naive model parallelism: one microbatch is in the pipeline at a time, all ranks but one are idle.
#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {

Schedule generateNaive(const ScheduleShape& shape) {
    Schedule schedule = emptySchedule("naive", shape);
    for (int rank = 0; rank < shape.ranks; ++rank)
        for (int microbatch = 0; microbatch < shape.microbatches; ++microbatch)
            for (ActionKind kind : {ActionKind::Forward, ActionKind::Backward})
                schedule.ranks[static_cast<std::size_t>(rank)].push_back({kind, rank, microbatch});
    return schedule;
}

double naiveBubble(const ScheduleShape& shape) { return double(shape.ranks - 1) / shape.ranks; }

}  // namespace shardlab::layout
