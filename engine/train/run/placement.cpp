// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/placement.h"

#include "engine/train/comm/staged_communicator.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/train/run/host_copies.h"

#include <algorithm>

namespace shardlab::train {

namespace {

bool reducesTied(const Schedule& schedule) {
    return std::ranges::any_of(schedule.ranks, [](const auto& actions) {
        return std::ranges::any_of(actions, [](const Action& a) { return a.kind == ActionKind::ReduceTied; });
    });
}

/// Whether the schedule exchanges anything beside compute.
bool usesDataAxis(const Schedule& schedule) {
    return std::ranges::any_of(schedule.ranks, [](const auto& actions) {
        return std::ranges::any_of(actions, [](const Action& action) { return isBesideCompute(action.kind); });
    });
}

/// Sender and receiver of each link between pipeline ranks that hold neighbouring stages.
std::vector<std::pair<int, int>> neighbours(const Schedule& schedule) {
    std::vector<std::pair<int, int>> links;
    for (std::size_t stage = 1; stage < schedule.rankOfStage.size(); ++stage) {
        const int one = schedule.rankOfStage[stage - 1], next = schedule.rankOfStage[stage];
        if (one == next) continue;
        links.emplace_back(one, next);
        links.emplace_back(next, one);
    }
    return links;
}

/// Makes groups of the world that exchange arrays of a device.
class Groups {
public:
    Groups(Communicator& world, Device& device, const DirectExchange& direct)
        : world_(world), device_(device), direct_(direct) {}

    std::unique_ptr<Communicator> of(std::span<const int> members) const {
        auto group = world_.group(members);
        if (device_.onHost()) return group;
        if (goesDirectly(members))
            return std::make_unique<NcclCommunicator>(std::move(group), members, device_, *direct_.groups);
        return std::make_unique<StagedCommunicator>(std::move(group), device_);
    }
    bool goesDirectly(std::span<const int> members) const { return direct_.groups != nullptr && members.size() > 1; }

private:
    Communicator& world_;
    Device& device_;
    const DirectExchange& direct_;
};

}  // namespace

Placement place(const StepPlan& plan, Communicator& world, Device& device, const DirectExchange& direct) {
    const int self = world.rank();
    const Groups groups(world, device, direct);
    Placement placed;
    placed.pipelineRank = plan.mesh.coordinate(self, Axis::Pipeline);
    placed.contextRank = plan.mesh.coordinate(self, Axis::Context);
    placed.tensorRank = plan.mesh.coordinate(self, Axis::Tensor);
    placed.replicaNumber = replicaNumber(plan.mesh, self);
    placed.pipelineMembers = plan.mesh.group(self, Axis::Pipeline);
    placed.pipeline = groups.of(placed.pipelineMembers);
    placed.pipeline->connect(neighbours(plan.lowered));
    const std::vector<int> replicas = sameWeights(plan.mesh, self);
    placed.data = groups.of(replicas);
    if (usesDataAxis(plan.lowered)) {
        placed.direct = groups.goesDirectly(replicas);
        // Codes are made on the device, and go from there wherever it leads.
        placed.onDevice = placed.direct || codesExchange(plan.layout);
        const auto groupOf = [&](const std::vector<int>& members) {
            return placed.onDevice ? groups.of(members) : world.group(members);
        };
        placed.besideCompute = groupOf(sameCopy(plan.mesh, self));
        const ParallelSpec& parallel = plan.layout.parallel;
        if (expertSpread(parallel) > 1 && (expertReplicaCount(parallel) > 1 || parallel.zero > 0))
            placed.sameExperts = groupOf(sameExperts(plan.mesh, self));
        if (parallel.zero > 0 && plan.mesh.copies() > 1) {
            placed.samePart = groupOf(samePart(plan.mesh, self));
            placed.copy = groups.of(sameCopy(plan.mesh, self));
        }
    }
    if (plan.layout.parallel.exchange == Exchange::Elastic)
        placed.centre = groups.of(plan.mesh.group(self, Axis::Data));
    placed.context = groups.of(plan.mesh.group(self, Axis::Context));
    placed.experts = groups.of(expertExchange(plan.mesh, self));
    placed.tensor = groups.of(plan.mesh.group(self, Axis::Tensor));
    placed.replica = world.group(replicaRanks(plan.mesh, self));
    placed.holdsLast = plan.lowered.rankOfStage.back() == placed.pipelineRank;
    if (reducesTied(plan.lowered)) {
        std::vector<int> ends;
        for (const int rank : plan.lowered.endRanks())
            ends.push_back(placed.pipelineMembers[static_cast<std::size_t>(rank)]);
        const bool atAnEnd = std::ranges::find(ends, self) != ends.end();
        placed.tied = groups.of(atAnEnd ? ends : std::vector<int>{self});
    }
    return placed;
}

std::map<int, StageSpec> stageSpecs(const StepPlan& plan, int pipelineRank) {
    const Layout& layout = plan.layout;
    const std::vector<StageShape> shapes = stageShapes(layout);
    std::map<int, StageSpec> specs;
    for (const int index : plan.lowered.stagesOf(pipelineRank)) {
        StageSpec& spec = specs[index];
        spec.model = layout.model;
        spec.seed = layout.run.seed;
        const StageShape& shape = shapes[static_cast<std::size_t>(index)];
        spec.firstLayer = shape.firstLayer;
        spec.layers = shape.layers;
        spec.first = shape.first;
        spec.last = shape.last;
        spec.samples = layout.batch.micro;
        spec.tied = tiesEmbedding(layout.model) && (plan.lowered.flushes() || plan.lowered.stages() == 1);
        spec.memory = layout.memory;
        spec.precision = layout.precision;
        spec.microbatches = microbatches(layout);
        spec.folds = expertFolds(layout.parallel);
    }
    return specs;
}

RankStages makeStages(const StepPlan& plan, int pipelineRank, Arena& arena, TensorGroup& tensor,
                      const LayerObservers& observers, ContextGroup* context, ExpertGroup* experts) {
    RankStages stages;
    for (auto [index, spec] : stageSpecs(plan, pipelineRank)) {
        spec.recomputing = observers.recompute;
        spec.layerDone = observers.layers;
        spec.storage = {plan.layout.parallel.zero < 3, plan.layout.parallel.zero < 2};
        RankStage& made = stages[index];
        made.stage = std::make_unique<Stage>(spec, arena, tensor, context, experts);
    }
    return stages;
}

std::unique_ptr<DataParallelComm> makeDataParallelComm(const StepPlan& plan, Placement& place, RankStages& stages,
                                                       Arena& arena, Arena* host, RankTrace& trace, StepClock& clock) {
    if (!place.besideCompute) return nullptr;
    DataParallelCommSetup setup{plan.layout.parallel,
                                plan.layout.precision.exchange,
                                place.replicaNumber,
                                std::move(place.besideCompute),
                                std::move(place.sameExperts),
                                std::move(place.samePart),
                                place.direct,
                                place.onDevice,
                                {},
                                arena,
                                host,
                                trace,
                                plan.costs,
                                clock};
    for (auto& [index, rankStage] : stages) setup.stages[index] = rankStage.stage.get();
    auto axis = std::make_unique<DataParallelComm>(std::move(setup));
    for (auto& [index, rankStage] : stages) {
        rankStage.shards = axis->shards(index);
        rankStage.coded = axis->coded(index);
    }
    return axis;
}

void makeMirrors(RankStages& stages, Device& device, Arena& host) {
    for (auto& [index, rankStage] : stages) {
        const bool there = rankStage.shards && rankStage.shards->onHost();
        rankStage.host = std::make_unique<HostMirror>(
            rankStage.owned(), device, host, there ? HostMirror::Values::OnHost : HostMirror::Values::OnDevice);
    }
}

void beginMirrors(RankStages& stages) {
    for (auto& [index, rankStage] : stages)
        if (rankStage.host) rankStage.host->begin();
}

std::unique_ptr<HostCopies> makeHostCopies(const StepPlan& plan, RankStages& stages, Arena& arena, Arena& host,
                                           RankTrace& trace, StepClock& clock, DataParallelComm* dataParallel) {
    HostCopiesSetup setup{{}, {}, arena.device(), arena, host, trace, plan.costs, clock, dataParallel};
    for (auto& [index, rankStage] : stages) {
        setup.stages[index] = rankStage.stage.get();
        if (rankStage.host) setup.mirrors[index] = rankStage.host.get();
    }
    return std::make_unique<HostCopies>(std::move(setup));
}

void makeOptimizers(const OptimizerSetup& setup, RankStages& stages, Arena& arena) {
    for (auto& [index, rankStage] : stages) rankStage.optimizer = makeOptimizer(setup, rankStage.updated(), arena);
}

}  // namespace shardlab::train
