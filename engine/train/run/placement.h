// SPDX-License-Identifier: Apache-2.0
// A rank's place in the layout: its coordinates, the groups it belongs to, and the stages it holds.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/comm/nccl/nccl_communicator.h"
#include "engine/predict/plan/step_plan.h"
#include "engine/train/run/data_parallel_comm.h"
#include "engine/train/run/layer_observers.h"
#include "engine/train/run/rank_groups.h"
#include "engine/train/run/rank_stage.h"

#include <map>
#include <memory>
#include <vector>

namespace shardlab::train {

class HostCopies;

struct Placement {
    int pipelineRank = 0;
    int contextRank = 0;
    int tensorRank = 0;
    int replicaNumber = 0;             ///< its number among the ranks that hold the same weights: data × context
    std::vector<int> pipelineMembers;  ///< world ranks of this rank's pipeline, in order
    std::unique_ptr<Communicator> pipeline;
    std::unique_ptr<Communicator> data;     ///< ranks that hold the same weights
    std::unique_ptr<Communicator> context;  ///< ranks of `data` that share samples
    /// The ranks of `data` that share a copy of what ZeRO divides; null where these are all.
    std::unique_ptr<Communicator> copy;
    /// The ranks that share a copy again, for the thread of exchanges beside compute.
    std::unique_ptr<Communicator> besideCompute;
    bool direct = false;    ///< the devices of besideCompute, sameExperts and samePart exchange by themselves
    bool onDevice = false;  ///< these groups take addresses of the device, not of the processor
    std::unique_ptr<Communicator> centre;   ///< ranks of `data` that pull a centre and each other; null where none do
    std::unique_ptr<Communicator> experts;  ///< ranks of `data` that hold different experts
    /// Ranks that hold the same experts, for the same thread as besideCompute; null where they reduce nothing.
    std::unique_ptr<Communicator> sameExperts;
    /// Ranks that hold the same part of each copy, for the same thread; null where there is one copy.
    std::unique_ptr<Communicator> samePart;
    std::unique_ptr<Communicator> tensor;
    std::unique_ptr<Communicator> replica;  ///< ranks that together hold each weight once: pipeline × tensor
    /// Ranks of first and last stage; null where the plan never reduces a tied weight.
    std::unique_ptr<Communicator> tied;
    bool holdsLast = false;  ///< whether it holds the pipeline's last stage, which knows the loss

    RankGroups groups() const {
        return {*replica, *data, copy ? *copy : *data, *context, *experts, *tensor, tied.get()};
    }
};

/// Collective over the world. The groups exchange arrays in the memory of `device`, from GPU to GPU where `direct` says
/// how; single numbers go through host() of a group.
Placement place(const StepPlan& plan, Communicator& world, Device& device, const DirectExchange& direct);

/// The specifications of the rank's stages by global stage.
std::map<int, StageSpec> stageSpecs(const StepPlan& plan, int pipelineRank);

/// Allocates the rank's stages from the arena. `tensor`, and `context` and `experts`, which may be null, outlive them;
/// observers of the stages' own work may be empty.
RankStages makeStages(const StepPlan& plan, int pipelineRank, Arena& arena, TensorGroup& tensor,
                      const LayerObservers& observers, ContextGroup* context = nullptr, ExpertGroup* experts = nullptr);

/// Makes what exchanges beside compute, with ZeRO's shards, which it binds to the stages; null where nothing is
/// exchanged beside compute. Where parameters lie on the host, `host` is its memory. Collective over the data axis.
std::unique_ptr<DataParallelComm> makeDataParallelComm(const StepPlan& plan, Placement& place, RankStages& stages,
                                                       Arena& arena, Arena* host, RankTrace& trace, StepClock& clock);

/// For ZeRO-Offload: mirrors what each stage's replica updates in `host`, the arena of the device's host.
void makeMirrors(RankStages& stages, Device& device, Arena& host);

/// To be called after weights were loaded into the device: the mirrors, where there are any, copy them.
void beginMirrors(RankStages& stages);

/// Makes what copies between device and host; `arena` and `host` are their memory. Where the optimizer is on the host,
/// makeMirrors() comes first.
std::unique_ptr<HostCopies> makeHostCopies(const StepPlan& plan, RankStages& stages, Arena& arena, Arena& host,
                                           RankTrace& trace, StepClock& clock, DataParallelComm* dataParallel);

/// Makes the optimizer of each stage and allocates its state in `arena`.
void makeOptimizers(const OptimizerSetup& setup, RankStages& stages, Arena& arena);

}  // namespace shardlab::train
