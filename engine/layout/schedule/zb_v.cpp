// SPDX-License-Identifier: Apache-2.0
// ZB-V: two chunks a rank, folded back, so that the last stage lies on rank 0 and gradients start where forwards did.
// Each input gradient is followed by its weight gradient; at the end they are put off to fill the bubble. All ranks
// hold at most 2p chunks of activations, as much as p whole microbatches of 1F1B's first rank.
//
// The order is torch.distributed.pipelining's in full. With fewer than 2p−1 microbatches it is that of 2p−1 with the
// missing ones left out, which torch does too.
#include <algorithm>

#include "engine/layout/schedule/folded_rank.h"
#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {

Schedule generateZbV(const ScheduleShape& shape) {
    Schedule schedule = emptyFoldedSchedule("zb-v", shape);
    const int p = shape.ranks;
    const int microbatches = std::max(shape.microbatches, 2 * p - 1);
    for (int rank = 0; rank < p; ++rank) {
        FoldedRank list(shape, rank, schedule.ranks[static_cast<std::size_t>(rank)]);
        const auto whole = [&](std::size_t chunk) {
            list.inputGrad(chunk);
            list.weightGrad(chunk);
        };
        for (int i = 0; i < 2 * (p - rank) - 1; ++i) list.forward(0);
        for (int i = 0; i < rank; ++i) {
            list.forward(1);
            list.forward(0);
        }
        for (int i = 0; i < p - rank; ++i) {
            list.forward(1);
            whole(1);
        }
        while (list.forwards(1) < microbatches) {
            if (list.forwards(0) < microbatches) list.forward(0);
            whole(0);
            list.forward(1);
            whole(1);
        }
        for (int i = 0; i < rank; ++i) {
            list.inputGrad(0);
            list.inputGrad(1);
        }
        for (int i = 0; i < p - rank; ++i) whole(0);
        for (std::size_t chunk : {std::size_t{1}, std::size_t{0}})
            while (list.pending(chunk) > 0) list.weightGrad(chunk);
    }
    return schedule;
}

double zbVBubble(const ScheduleShape& shape) { return countedBubble(generateZbV(shape)); }

}  // namespace shardlab::layout
