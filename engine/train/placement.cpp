// SPDX-License-Identifier: Apache-2.0
#include "engine/train/placement.h"

#include <algorithm>
#include <numeric>

namespace shardlab {

namespace {

bool reducesTied(const Schedule& schedule) {
    return std::ranges::any_of(schedule.ranks, [](const auto& actions) {
        return std::ranges::any_of(actions, [](const Action& a) { return a.kind == ActionKind::ReduceTied; });
    });
}

}  // namespace

Placement place(const Plan& plan, Communicator& world) {
    const int self = world.rank();
    Placement placed;
    placed.pipelineRank = plan.mesh.coordinate(self, Axis::Pipeline);
    placed.dataRank = plan.mesh.coordinate(self, Axis::Data);
    placed.tensorRank = plan.mesh.coordinate(self, Axis::Tensor);
    placed.pipelineMembers = plan.mesh.group(self, Axis::Pipeline);
    placed.pipeline = world.group(placed.pipelineMembers);
    placed.data = world.group(plan.mesh.group(self, Axis::Data));
    placed.tensor = world.group(plan.mesh.group(self, Axis::Tensor));
    placed.replica = world.group(replicaRanks(plan.mesh, self));
    placed.holdsLast = plan.lowered.rankOfStage.back() == placed.pipelineRank;
    if (reducesTied(plan.lowered)) {
        std::vector<int> ends;
        for (const int rank : plan.lowered.endRanks())
            ends.push_back(placed.pipelineMembers[static_cast<std::size_t>(rank)]);
        const bool atAnEnd = std::ranges::find(ends, self) != ends.end();
        placed.tied = world.group(atAnEnd ? ends : std::vector<int>{self});
    }
    return placed;
}

std::map<int, StageSpec> stageSpecs(const Plan& plan, int pipelineRank) {
    const Layout& layout = plan.layout;
    const std::vector<int> layers = stageLayers(layout);
    std::map<int, StageSpec> specs;
    for (const int index : plan.lowered.stagesOf(pipelineRank)) {
        StageSpec& spec = specs[index];
        spec.model = layout.model;
        spec.seed = layout.run.seed;
        spec.firstLayer = std::accumulate(layers.begin(), layers.begin() + index, 0);
        spec.layers = layers[static_cast<std::size_t>(index)];
        spec.first = index == 0;
        spec.last = index == plan.lowered.stages() - 1;
        spec.samples = layout.batch.micro;
        spec.tied = plan.lowered.flushes() || plan.lowered.stages() == 1;
        spec.memory = layout.memory;
    }
    return specs;
}

std::map<int, RankStage> makeStages(const Plan& plan, int pipelineRank, Arena& arena, TensorGroup& tensor,
                                   const Recompute::Observer& recomputing) {
    std::map<int, RankStage> stages;
    for (auto& [index, spec] : stageSpecs(plan, pipelineRank)) {
        spec.recomputing = recomputing;
        RankStage& made = stages[index];
        made.stage = std::make_unique<Stage>(spec, arena, tensor);
        made.optimizer = makeOptimizer(plan.layout.optimizer, made.stage->parameters(), arena,
                                       plan.layout.run.steps * plan.lowered.updates);
    }
    return stages;
}

}  // namespace shardlab
