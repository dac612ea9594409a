// SPDX-License-Identifier: Apache-2.0
// Interleaved 1F1B (PTD-P): each rank holds v chunks that are p stages apart. Rounds of microbatches go through the
// first chunk, then the second …; backwards go through the chunks the other way round. Rank r warms up with (v−1)·round
// + 2(p−r−1) forwards, then one forward and one backward in turn, then the backwards that are left.
//
// The paper has rounds of p microbatches and wants p to divide m. As torch.distributed.pipelining does, m ÷ p rounds,
// rounded down, of equal length are made instead, so that with 4 ranks 10 microbatches go in 2 rounds of 5 and 3 in
// one; where p divides m the two are the same. The order is torch's in full.

#include <algorithm>

#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {
namespace {

int roundsOf(int ranks, int microbatches) { return std::max(1, microbatches / ranks); }
bool divides(int ranks, int microbatches) { return microbatches % roundsOf(ranks, microbatches) == 0; }

}  // namespace

std::optional<ShapeRefusal> interleavedRefusal(const ScheduleShape& shape) {
    const int p = shape.ranks, m = shape.microbatches;
    if (divides(p, m)) return {};
    int below = m, above = m;
    while (!divides(p, below)) --below;
    while (!divides(p, above)) ++above;
    return ShapeRefusal{"/batch/micro",
                        say("microbatches go through the chunks in {} rounds (one for every {} ranks) of equal length, "
                            "and {} do not divide by {}",
                            roundsOf(p, m), p, m, roundsOf(p, m)),
                        say("{} or {} microbatches, or any multiple of {}", below, above, p)};
}

Schedule generateInterleavedOneFOneB(const ScheduleShape& shape) {
    Schedule schedule = emptySchedule("interleaved-1f1b", shape);
    const int p = shape.ranks, v = shape.chunks, m = shape.microbatches;
    const int round = m / roundsOf(p, m);
    for (int rank = 0; rank < p; ++rank) {
        std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        const auto add = [&](ActionKind kind, int turn) {
            const int passed = turn / round % v;
            const int chunk = kind == ActionKind::Forward ? passed : v - 1 - passed;
            actions.push_back({kind, chunk * p + rank, turn / (round * v) * round + turn % round});
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
