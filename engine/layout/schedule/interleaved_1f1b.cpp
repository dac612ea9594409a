// SPDX-License-Identifier: Apache-2.0
// Interleaved 1F1B (PTD-P): each rank holds v chunks that are p stages apart. Rounds of microbatches go through the
// first chunk, then the second …; backwards go through the chunks the other way round. Rank r warms up with (v−1)·round
// + 2(p−r−1) forwards, then one forward and one backward in turn, then the backwards that are left.
//
// The paper has rounds of p microbatches and wants p to divide m. Rounds here are as long as they must be, as
// Megatron-Core allows them: all have the least length of p or more with which the last, which may be shorter, has p
// microbatches or more too, so that with 4 ranks 9 microbatches go in rounds of 5 and 4. A single round has all of
// fewer. Where torch.distributed.pipelining has an order, which is where m divides by m ÷ p rounded down, this is it.

#include <algorithm>

#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {

int interleavedRound(int ranks, int microbatches) {
    int round = std::max(1, std::min(ranks, microbatches));
    const auto tooShort = [&](int last) { return last > 0 && last < ranks; };
    while (round < microbatches && tooShort(microbatches % round)) ++round;
    return round;
}

Schedule generateInterleavedOneFOneB(const ScheduleShape& shape) {
    Schedule schedule = emptySchedule("interleaved-1f1b", shape);
    const int p = shape.ranks, v = shape.chunks, m = shape.microbatches;
    const int round = interleavedRound(p, m);
    for (int rank = 0; rank < p; ++rank) {
        std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        const auto add = [&](ActionKind kind, int turn) {
            const int before = turn / (round * v) * round;  // microbatches of earlier rounds
            const int length = std::min(round, m - before), ofRound = turn - before * v, passed = ofRound / length;
            const int chunk = kind == ActionKind::Forward ? passed : v - 1 - passed;
            actions.push_back({kind, chunk * p + rank, before + ofRound % length});
        };
        const int warmUp = std::min((v - 1) * round + 2 * (p - rank - 1), v * m);
        for (int turn = 0; turn < warmUp; ++turn) add(ActionKind::Forward, turn);
        for (int turn = 0; turn < v * m; ++turn) {
            if (warmUp + turn < v * m) add(ActionKind::Forward, warmUp + turn);
            add(ActionKind::Backward, turn);
        }
    }
    return schedule;
}

bool interleavedHasClosedForm(const ScheduleShape& shape) {
    return shape.ranks > 0 && shape.microbatches % shape.ranks == 0;
}

double interleavedBubble(const ScheduleShape& shape) {
    if (!interleavedHasClosedForm(shape)) return countedBubble(generateInterleavedOneFOneB(shape));
    return double(shape.ranks - 1) / (double(shape.chunks) * shape.microbatches + shape.ranks - 1);
}

}  // namespace shardlab::layout
