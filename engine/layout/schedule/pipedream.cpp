// SPDX-License-Identifier: Apache-2.0
// PipeDream: 1F1B without a flush, with weight stashing. Stage r runs a = p − r − 1 forwards ahead, then one forward
// and one backward in turn, on over the borders of steps. As soon as a microbatch's backward is done the stage updates
// its weights with that gradient alone; the forwards that ran ahead used older weights, and the stage keeps those until
// their backwards: weight stashing, p − r versions at stage r.
//
// What is run, with microbatches n counted from the run's first and W_r(u) the weights of stage r after u updates,
// W_r(−1) = W_r(−2) = … = W_r(0):
//     W_r(n+1) = W_r(n) − update n + 1 of the gradient of microbatch n, taken at W_r(n − delay)
//     delay = p − r − 1; with vertical sync p − 1 in every stage, so that a microbatch meets one version everywhere
// (the paper's two equations). With vertical sync every stage keeps p versions.
//
// - A step is the layout's global batch, m microbatches of each replica, and so m updates. The gradient of an update is
//   the mean over the replicas' microbatches of the same number: with data parallelism each update averages first.
// - AdamW's corrections and the warm-up of the learning rate count updates.
// - The loss of a step is the mean over its microbatches, each with the weights that its forward used.
// - Fill: before the first step stage r does a forwards and stashes the initial weights as all its older versions.
//   Drain: the last steps do no forwards of microbatches beyond the run's end.
// - At a step's border every stage holds W(m · (step + 1)), each at its own time. There a run is paused (what is in
//   flight waits), stopped (what is in flight is dropped), validated, and its weights are written to checkpoints; a run
//   that is resumed from one fills anew, so that its first microbatches meet weights that are younger than the
//   uninterrupted run's.
// - Clipping by the global norm is refused: the norm is known when all stages have ended a backward, and waiting for
//   that is a flush. The output projection is a weight of its own, not the token embedding, for the same reason.
#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {
namespace {

constexpr int mostUpdates = 8192;

}  // namespace

std::optional<ShapeRefusal> pipeDreamRefusal(const ScheduleShape& shape) {
    if (shape.microbatches <= mostUpdates && shape.ranks <= mostUpdates) return {};
    return ShapeRefusal{"/batch/micro",
                        say("every microbatch makes a weight version, and actions number them with 16 bits"),
                        say("at most {} microbatches a step", mostUpdates)};
}

Schedule generatePipeDream(const ScheduleShape& shape) {
    Schedule schedule = emptySchedule("pipedream", shape);
    schedule.updates = shape.microbatches;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        const int ahead = shape.ranks - rank - 1;
        const int delay = shape.verticalSync ? shape.ranks - 1 : ahead;
        schedule.ahead.push_back(ahead);
        schedule.versions.push_back(delay + 1);
        // Microbatch n uses the version that is `delay` updates older than W(n): at the border that of number n.
        std::vector<Action>& fill = schedule.fill.emplace_back();
        for (int j = 0; j < ahead; ++j) fill.push_back({ActionKind::Forward, rank, j, j});
        std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        for (int j = 0; j < shape.microbatches; ++j) {
            actions.push_back({ActionKind::Forward, rank, ahead + j, ahead + j});
            actions.push_back({ActionKind::Backward, rank, j, j});
        }
    }
    return schedule;
}

double steadyBubble(const ScheduleShape&) { return 0; }

}  // namespace shardlab::layout
