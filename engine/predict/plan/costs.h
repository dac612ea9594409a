// SPDX-License-Identifier: Apache-2.0
// The cost model: how long each action of a layout takes on its device.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/predict/plan/collectives.h"
#include "engine/predict/plan/mesh_groups.h"
#include "engine/predict/plan/tensor_costs.h"
#include "engine/layout/schedule/action.h"

#include <string_view>
#include <vector>

namespace shardlab::predict {

/// One message of an action that runs beside compute, over the data axis.
struct DataPiece {
    int layer = 0;           ///< of the stage: the piece waits for its gradient, or the layer waits for the piece
    std::int64_t bytes = 0;  ///< of the whole buffer; what crosses the links is plan.h's AxisTraffic
    double seconds = 0;      ///< not stretched
    bool stays = false;      ///< its gradient stays between two layers (FlatUnit::staysBetweenLayers)
    bool experts = false;    ///< between the ranks that hold the same experts, no others
    int hops = 0;            ///< of a piece that goes round a ring, within its time; 0: the backend exchanges it
};

/// The data axis of one stage; a list is empty where the layout has no such action.
struct DataCosts {
    std::vector<double> layerShare;  ///< of a compute action's time, by layer
    std::vector<int> segments;       ///< by layer (recompute.h: layerSegments)
    std::vector<double> againShare;  ///< of what segments take to be computed again, by layer
    std::vector<DataPiece> reduce;   ///< buckets, or units that are scattered, in the order the backward ends them
    std::vector<DataPiece> parts;    ///< where there are several copies, the part of each of `reduce` that they sum
    std::vector<DataPiece> gatherForward;  ///< ZeRO 3, in the order of use
    std::vector<DataPiece> gatherBackward;
    std::vector<DataPiece> gatherUpdated;  ///< ZeRO 1, 2
    /// Where weights lie on the host, what comes of each of gatherForward and gatherBackward before it is gathered: the
    /// part of the replica with the largest. Where there is one replica, these are all of it.
    std::vector<DataPiece> fetchForward, fetchBackward;
    bool inSlots = false;  ///< ZeRO 2, 3: gradients of layers take turns in two slots

    /// The messages of an action that runs beside compute over the data axis; empty for other kinds.
    const std::vector<DataPiece>& pieces(ActionKind kind) const;
};
/// `link` is the slowest in a copy, `holdersLink` that among the holders of the same experts, `partsLink` that between
/// copies: all-reduces take the quickest algorithm, unless the layout asks for the ring; scatters and gathers are half
/// a ring.
DataCosts dataCosts(const Layout& layout, const StageShape& shape, const TensorShare& share, const DataGroups& groups,
                    const Link& link, const Link& holdersLink, const Link& partsLink, const DevicePreset& device);

/// A copy over the link between a device and its host.
double copySeconds(const DeviceHost& host, std::int64_t bytes);

/// Seconds of one action of a stage, on the modelled device, before stretching.
///
/// A forward takes flops ÷ (peak of the format · efficiency) + bytes ÷ memory bandwidth + kernels · kernel start, where
/// each stored number is written once and read once, and kernels are those of layers, embedding and output. A backward
/// takes twice that, half for the input gradient and half for the weight gradient, and the input gradient besides what
/// it computes again: the forward of all blocks, or that of their attention's core. Of a tensor group's member these
/// are its share's, and what its collectives take comes on top: the products around them wait for each.
struct StageCosts {
    double forward = 0;
    double backward = 0;  ///< inputGrad + weightGrad, less what it makes once for both (logitsAgain)
    double inputGrad = 0;
    double weightGrad = 0;
    double recompute = 0;                      ///< of inputGrad, what computes activations again
    std::vector<RecomputedBlocks> recomputed;  ///< all blocks, from the lowest, and how often each does so
    double logitsAgain = 0;    ///< of inputGrad, and of weightGrad: what makes the logits of pieces again
    int logitsOfBackward = 2;  ///< how often a backward does so
    double send = 0;    ///< output activation to the next stage (and its gradient back): latency + bytes ÷ bandwidth
    double reduce = 0;  ///< all-reduce of the stage's gradients over the data axis, by `reduceAlgorithm`
    double tied = 0;    ///< the shared embedding's gradient, first and last stage; in memory where one rank holds both
    /// The gradients' squared norm summed over the ranks of a replica: one number; 0 where it is one rank.
    double norm = 0;
    double normReading = 0;  ///< reading the gradients of all stages of its rank for that, which is no communication
    /// Reading and writing weights, gradients and state, in the host's memory where they are there.
    double optimizer = 0;
    TensorCosts tensor;  ///< the collectives and hops inside forward, inputGrad and weightGrad
    double stash = 0;    ///< reading and writing the weights, for a copy of them
    double push = 0;     ///< of an exchange with a server (server_costs.h): gradients to it
    double pull = 0;     ///< the weights back
    double elastic = 0;  ///< easgd's exchange, of all stages of its rank
    /// What is updated on the host: its gradients to it, latency + bytes ÷ bandwidth of the host's link.
    double offload = 0;
    double reload = 0;  ///< its weights back
    double swap = 0;    ///< what a forward leaves to the host, and as long back
    std::int64_t sendBytes = 0;
    /// The buffer's, without experts that are spread; what crosses the links is plan.h's AxisTraffic.
    std::int64_t reduceBytes = 0;
    std::int64_t tiedBytes = 0;
    std::int64_t normBytes = 0;     ///< 0 where a replica is one rank
    std::int64_t weightBytes = 0;   ///< of one version
    std::int64_t offloadBytes = 0;  ///< of the replica with the largest shards
    std::int64_t reloadBytes = 0;
    std::int64_t swapBytes = 0;     ///< of one microbatch
    std::int64_t elasticBytes = 0;  ///< weights of all stages of its rank
    Algorithm reduceAlgorithm = Algorithm::Ring;
    Algorithm normAlgorithm = Algorithm::Ring;
    DataCosts data;
    // Where a stage waits until its message has gone (SoftwareStack::blockingSends):
    double sendingUp = 0;    ///< of forward
    double sendingDown = 0;  ///< of inputGrad
};

/// A part of an action, as shares of the time of the action.
struct ActionPart {
    double begin = 0;
    double end = 0;
};

/// The shares of a compute action's time, where the action goes layer by layer (simulate.h). A layer takes its part of
/// each share (DataCosts).
struct LayeredShares {
    double again = 0;     ///< segments that are computed again
    double use = 0;       ///< what else reads weights
    double gradient = 0;  ///< of the weights
};

struct StepCosts {
    std::vector<StageCosts> stages;
    double stretch = 1;  ///< modelled time × stretch = the time shown and paced; 1 unless paced
    /// The workers of an asynchronous server, which goes through its list as async_server.h says; 0: there is none.
    int asyncWorkers = 0;
    double cores = 0;  ///< or GPUs, that the ranks of one replica share, where they are more; 0: each has its own
    std::vector<std::int64_t> heads;  ///< of queries of each tensor member; all other figures are those of the last
    /// Stretched seconds of one action. Receives take no time of their own: the message's time is its send.
    double seconds(const Action& action) const;
    std::int64_t bytes(const Action& action) const;
    /// What a context group sends of the heads of tensor member `part`, where it sends `bytes` of the last member's.
    std::int64_t ofTensorMember(std::int64_t bytes, int part) const {
        return heads.empty() || heads.back() == 0 ? bytes
                                                  : bytes * heads[static_cast<std::size_t>(part)] / heads.back();
    }
    /// The tensor group's collectives in a compute action or an update, in order, and where they lie in it; none in
    /// others. `together`: as one, at the end.
    std::vector<TensorSpan> tensorSpans(const Action& action, bool together = false) const;
    /// The share of the time of the action that the collectives of its tensor group take.
    double tensorShare(const Action& action) const;
    LayeredShares layered(const Action& action) const;
    /// Where a backward or input gradient computes activations again: segment by segment from the top, each followed by
    /// its blocks' share of the rest. `together`: as one, at the begin.
    std::vector<ActionPart> recomputed(const Action& action, bool together = false) const;
};

/// `costs` with transfers and reductions that take no time.
StepCosts withoutCommunication(StepCosts costs);
/// `costs` with collectives of tensor groups, inside compute actions, that take no time.
StepCosts withoutTensorCollectives(StepCosts costs);

/// `costs` with stages that all take as long as their mean.
StepCosts withEqualStages(StepCosts costs);

/// `costs` with all activations kept.
StepCosts withoutRecompute(StepCosts costs);

/// The device whose time is modelled: cluster.pace.device where paced; else that of cluster.device, for cuda this
/// machine's GPU, or an H100 where there is none that a preset describes.
const DevicePreset& modelledDevice(const Layout& layout);

/// Cores that this process may use.
int hostCores();

/// What the ranks of a layout at full speed have between them on this machine; 0: each its own device, as far as is
/// known.
struct SharedUnits {
    int count = 0;
    std::string_view name;  ///< "cores", "GPUs"
};
SharedUnits sharedUnits(const Layout& layout, int cores = hostCores());

/// What one rank computes on: the modelled device where paced; at full speed its share of this machine's cores, at
/// least one (where ranks are more than cores, StepCosts::cores says how many they share).
DevicePreset rankDevice(const Layout& layout, const Mesh& mesh, int cores = hostCores());

/// stretch is 1; makePlan sets it from the simulated step. `rankOfStage`: the schedule's. `cores`: of this machine, for
/// runs at full speed; a link is as slow as the slowest over the replicas.
StepCosts stepCosts(const Layout& layout, const MeshGroups& groups, const DevicePreset& device,
                    const std::vector<int>& rankOfStage, int cores = hostCores());

}  // namespace shardlab::predict
