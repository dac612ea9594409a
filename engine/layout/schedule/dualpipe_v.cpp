// SPDX-License-Identifier: Apache-2.0
// DualPipe-V: microbatches go down the V and up again, and each rank meets them in both directions: in its steady part
// the forward of one chunk stands beside the backward of the other. Backwards are whole but at the beginning and the
// end, where split ones let the neighbour go on sooner.
//
// The order is torch.distributed.pipelining's. It marks the pairs of the steady part as overlapped (the forward's
// communication runs during the backward's computation); here they are two actions, first the forward, and transfers
// overlap with computation everywhere anyway.

#include <deque>

#include "engine/layout/schedule/folded_rank.h"
#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {

std::optional<ShapeRefusal> dualPipeVRefusal(const ScheduleShape& shape) {
    if (shape.microbatches >= 2 * shape.ranks) return {};
    return ShapeRefusal{
        "/batch/micro",
        say("it fills the V with two microbatches a rank before its steady part, {} altogether, and there are {}",
            2 * shape.ranks, shape.microbatches),
        say("{} microbatches or more", 2 * shape.ranks)};
}

Schedule generateDualPipeV(const ScheduleShape& shape) {
    Schedule schedule = emptyFoldedSchedule("dualpipe-v", shape);
    const int p = shape.ranks;
    for (int rank = 0; rank < p; ++rank) {
        FoldedRank list(shape, rank, schedule.ranks[static_cast<std::size_t>(rank)]);
        std::deque<std::size_t> putOff;  // chunks of the weight gradients to come, oldest first
        bool splits = false;
        const auto inputGrad = [&](std::size_t chunk) {
            list.inputGrad(chunk);
            putOff.push_back(chunk);
        };
        const auto weightGrad = [&] {
            if (putOff.empty()) return;
            list.weightGrad(putOff.front());
            putOff.pop_front();
        };
        const auto backward = [&](std::size_t chunk) { splits ? inputGrad(chunk) : list.backward(chunk); };

        for (int i = 0; i < 2 * (p - rank - 1); ++i) list.forward(0);
        for (int i = 0; i < rank + 1; ++i) {
            list.forward(0);
            list.forward(1);
        }
        for (int i = 0; i < p - rank - 1; ++i) {
            inputGrad(1);
            weightGrad();
            list.forward(1);
        }
        for (int i = 0; i < shape.microbatches - 2 * p + rank + 1; ++i) {
            list.forward(0);
            list.backward(1);
            list.forward(1);
            list.backward(0);
        }
        for (int i = 0; i < p - rank - 1; ++i) {
            list.backward(1);
            list.forward(1);
            list.backward(0);
        }
        // Half of the backwards that are left are split; odd ranks begin half a pair earlier, so that neighbours meet.
        const int half = (rank + 1) / 2;
        for (int i = 0; i < rank + 1; ++i) {
            if (i == half && rank % 2 == 1) splits = true;
            backward(1);
            if (i == half && rank % 2 == 0) splits = true;
            backward(0);
        }
        for (int i = 0; i < p - rank - 1; ++i) {
            weightGrad();
            backward(0);
        }
        while (!putOff.empty()) weightGrad();
    }
    return schedule;
}

double dualPipeVBubble(const ScheduleShape& shape) { return countedBubble(generateDualPipeV(shape)); }

}  // namespace shardlab::layout
