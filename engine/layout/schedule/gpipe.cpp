// SPDX-License-Identifier: Apache-2.0
// GPipe: all forwards, then all backwards, then the flush. Backwards begin with the first microbatch, as
// torch.distributed.pipelining's do.
#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {

Schedule generateGpipe(const ScheduleShape& shape) {
    Schedule schedule = emptySchedule("gpipe", shape);
    for (int rank = 0; rank < shape.ranks; ++rank)
        for (ActionKind kind : {ActionKind::Forward, ActionKind::Backward})
            for (int microbatch = 0; microbatch < shape.microbatches; ++microbatch)
                schedule.ranks[static_cast<std::size_t>(rank)].push_back({kind, rank, microbatch});
    return schedule;
}

double flushBubble(const ScheduleShape& shape) {
    return double(shape.ranks - 1) / (double(shape.microbatches) + shape.ranks - 1);
}

}  // namespace shardlab::layout
