// SPDX-License-Identifier: Apache-2.0
// ZB-H1: 1F1B whose backward is split. The input gradient goes down at once; rank r puts its weight gradients off by r
// microbatches, so that they fill what was bubble at the end. Every rank holds at most min(m, p) microbatches: no more
// than the first rank of 1F1B.
//
// The order is that of torch.distributed.pipelining's interleaved zero bubble with one stage a rank (ZB1P), which
// refuses some numbers of microbatches only for the sake of chunks.
//
// From the first forward of rank 0 no rank p − 1 can be done before p − 1 + 3m slots; ZB-H1 is, and so its bubble
// cannot be lowered within one step. (ZB-H2's gain comes from ranks that begin the next step at different times.)
#include <algorithm>

#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {

Schedule generateZbH1(const ScheduleShape& shape) {
    Schedule schedule = emptySchedule("zb-h1", shape);
    const int m = shape.microbatches;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        const int warmUp = std::min(shape.ranks - rank - 1, m);
        for (int microbatch = 0; microbatch < warmUp; ++microbatch)
            actions.push_back({ActionKind::Forward, rank, microbatch});
        for (int microbatch = 0; microbatch < m; ++microbatch) {
            if (warmUp + microbatch < m) actions.push_back({ActionKind::Forward, rank, warmUp + microbatch});
            actions.push_back({ActionKind::InputGrad, rank, microbatch});
            if (microbatch >= rank) actions.push_back({ActionKind::WeightGrad, rank, microbatch - rank});
        }
        for (int microbatch = std::max(0, m - rank); microbatch < m; ++microbatch)
            actions.push_back({ActionKind::WeightGrad, rank, microbatch});
    }
    return schedule;
}

bool zbH1HasClosedForm(const ScheduleShape& shape) { return shape.microbatches >= shape.ranks; }

double zbH1Bubble(const ScheduleShape& shape) {
    if (!zbH1HasClosedForm(shape)) return countedBubble(generateZbH1(shape));
    return double(shape.ranks - 1) / (3.0 * shape.microbatches + shape.ranks - 1);
}

}  // namespace shardlab::layout
