// SPDX-License-Identifier: Apache-2.0
// A rank's place in the layout: its coordinates, whom it talks to, and which stages it holds.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/comm/nccl/nccl_communicator.h"
#include "engine/predict/plan/plan.h"
#include "engine/train/run/data_parallel_comm.h"
#include "engine/train/run/rank_groups.h"
#include "engine/train/run/rank_stage.h"

#include <map>
#include <memory>
#include <vector>

namespace shardlab {

class HostCopies;

struct Placement {
    int pipelineRank = 0;
    int dataRank = 0;
    int contextRank = 0;
    int tensorRank = 0;
    int replicaNumber = 0;             ///< of all that hold the same weights: data × context
    std::vector<int> pipelineMembers;  ///< world ranks of this rank's pipeline, in order
    std::unique_ptr<Communicator> pipeline;
    std::unique_ptr<Communicator> data;           ///< the ranks that hold the same weights
    std::unique_ptr<Communicator> context;        ///< those of them that share samples
    std::unique_ptr<Communicator> besideCompute;  ///< of the data axis too, for one thread of its own
    bool direct = false;  ///< besideCompute and holders take addresses of the device, not of the processor
    std::unique_ptr<Communicator> experts;  ///< ranks that together hold all experts once
    std::unique_ptr<Communicator>
        holders;  ///< those that hold the same ones, for besideCompute's thread; null where they reduce nothing
    std::unique_ptr<Communicator> tensor;
    std::unique_ptr<Communicator> replica;  ///< the ranks that together hold each weight once: pipeline × tensor
    std::unique_ptr<Communicator>
        tied;                ///< ranks of first and last stage; null where the plan never reduces a tied weight
    bool holdsLast = false;  ///< the pipeline's last stage, which knows the loss

    RankGroups groups() const { return {*replica, *data, *context, *experts, *tensor, tied.get()}; }
};

/// Collective over the world. The groups in which arrays move reach the memory of `device`, from GPU to GPU where
/// `direct` has what takes them there; scalars go through their host().
Placement place(const Plan& plan, Communicator& world, Device& device, const DirectExchange& direct);

/// What the rank's stages are, by global stage.
std::map<int, StageSpec> stageSpecs(const Plan& plan, int pipelineRank);

/// Allocates the rank's stages from the arena. `tensor`, and `context` and `experts`, which may be null, outlive them;
/// `recomputing` may be empty.
RankStages makeStages(const Plan& plan, int pipelineRank, Arena& arena, TensorGroup& tensor,
                      const Recompute::Observer& recomputing, ContextGroup* context = nullptr,
                      ExpertGroup* experts = nullptr);

/// What runs beside compute, with ZeRO's shards, which the stages then know; null where nothing does. Collective over
/// the data axis.
std::unique_ptr<DataParallelComm> makeDataParallelComm(const Plan& plan, Placement& place, RankStages& stages,
                                                       Arena& arena, RankTrace& trace, StepClock& clock);

/// ZeRO-Offload: what each stage's replica updates gets its place in `host`, the arena of the device's host.
void makeMirrors(RankStages& stages, Device& device, Arena& host);

/// After the device's weights were loaded: where there are mirrors, they take them.
void beginMirrors(RankStages& stages);

/// What copies between device and host, `arena` and `host`. Where the optimizer is there, `host` of each stage is
/// there.
std::unique_ptr<HostCopies> makeHostCopies(const Plan& plan, RankStages& stages, Arena& arena, Arena& host,
                                           RankTrace& trace, StepClock& clock, DataParallelComm* dataAxis);

/// Allocates the state of what each stage's replica updates. `updates`: of a stage over the run.
void makeOptimizers(const OptimizerSetup& setup, RankStages& stages, Arena& arena);

}  // namespace shardlab
