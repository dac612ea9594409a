// SPDX-License-Identifier: Apache-2.0
// PipeDream-2BW: 1F1B without a flush whose gradients are summed over the m microbatches of a step, so that two weight
// versions are enough in every stage. With g(t) the mean gradient of step t over its microbatches and replicas,
//     W(t+1) = W(t) − update t + 1 of g(t) taken at W(t−1), W(−1) = W(0)
// in all stages alike (the paper's equation; its delay is one step, whatever the stage).
//
// Stage r runs a = p − r − 1 forwards ahead. Those of them that belong to the next step use W(t), which the update
// before has made; m ≥ p makes sure that none belongs to the step after that one.
//
// - A step is the layout's global batch and one update. AdamW's corrections and the warm-up count steps.
// - The loss of a step is the mean over its microbatches, each with the weights that its forward used.
// - Fill: before the first step stage r does a forwards and keeps the initial weights as both versions. Drain: the last
//   step does no forwards of the next.
// - At a step's border every stage holds W(t+1) and keeps W(t), each at its own time. Pause, stop, validation,
//   checkpoints, clipping and the output projection: as in pipedream.cpp.

#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {

std::optional<ShapeRefusal> twoVersionsRefusal(const ScheduleShape& shape) {
    if (shape.microbatches >= shape.ranks) return {};
    return ShapeRefusal{"/batch/micro",
                        say("two weight versions are enough where a step has at least as many microbatches as the "
                            "pipeline has ranks, and {} are fewer than {}",
                            shape.microbatches, shape.ranks),
                        say("{} microbatches or more", shape.ranks)};
}

Schedule generatePipeDream2bw(const ScheduleShape& shape) {
    Schedule schedule = emptySchedule("pipedream-2bw", shape);
    const int m = shape.microbatches;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        const int ahead = shape.ranks - rank - 1;
        schedule.ahead.push_back(ahead);
        schedule.versions.push_back(2);
        std::vector<Action>& fill = schedule.fill.emplace_back();
        for (int j = 0; j < ahead; ++j) fill.push_back({ActionKind::Forward, rank, j, 0});
        std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        for (int j = 0; j < m; ++j) {
            actions.push_back({ActionKind::Forward, rank, ahead + j, (ahead + j) / m});
            actions.push_back({ActionKind::Backward, rank, j, 0});
        }
    }
    return schedule;
}

}  // namespace shardlab::layout
