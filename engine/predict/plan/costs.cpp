// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/costs.h"

#include "engine/layout/alike_stages.h"
#include "engine/layout/coded_exchange.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/predict/plan/accelerators.h"
#include "engine/predict/plan/compute_costs.h"
#include "engine/predict/plan/server_costs.h"
#include "engine/predict/plan/stack_times.h"
#include "engine/predict/plan/layer_moments.h"
#include "engine/predict/plan/stage_buffers.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <ranges>
#include <stdexcept>
#include <thread>

namespace shardlab::predict {
namespace {

/// A link as long as whose messages only the share counts that compute does not hide.
Link partlyHidden(Link link, double hidden) {
    return {link.bandwidth / std::max(1e-3, 1 - hidden), link.latency * (1 - hidden)};
}

/// The slowest link over which rows travel to experts: groups that wait for each other at a reduction wait for the
/// slowest.
Link slowestExpertLink(const Mesh& mesh, const DevicePreset& device) {
    const int folds = mesh.folds(), spread = mesh.size(Axis::Expert) / folds;
    if (spread == 1) return device.inNode;
    for (const std::vector<int>& group : mesh.groups(Axis::Expert))
        for (auto first = group.begin(); first != group.end(); first += spread)
            if (mesh.host(*first) != mesh.host(*(first + spread - 1))) return device.betweenNodes;
    return device.inNode;
}

/// World ranks of pipeline rank `p`, one a replica.
std::vector<int> replicas(const Mesh& mesh, int p) {
    Coordinates place{};
    place[Axis::Pipeline] = p;
    return sameWeights(mesh, mesh.rank(place));
}

/// The replicas of one pipeline rank.
struct Replicas {
    Group group;
    DataGroups exchanging;
    std::vector<int> hosts;  ///< of each
};

/// The slowest of groups that wait for each other spans most hosts; among several that do, it is an uneven one.
Group slowestOf(const Mesh& mesh, const std::vector<std::vector<int>>& groups) {
    std::vector<Group> all;
    for (const std::vector<int>& ranks : groups) all.push_back(groupOf(mesh, ranks));
    return *std::ranges::max_element(all, {}, [](const Group& group) { return std::pair(group.hosts, !group.even); });
}

/// `ranks` are the replicas of one pipeline rank, in the order of their copies.
DataGroups dataGroups(const Mesh& mesh, const std::vector<int>& ranks) {
    const auto copies = static_cast<std::size_t>(mesh.copies()), size = ranks.size() / copies;
    std::vector<std::vector<int>> whole(copies), holders(copies), parts(copies > 1 ? size : 1);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::size_t copy = i / size;
        whole[copy].push_back(ranks[i]);
        if (mesh.coordinate(ranks[i], Axis::Expert) == mesh.coordinate(whole[copy].front(), Axis::Expert))
            holders[copy].push_back(ranks[i]);
        if (copies > 1 || i == 0) parts[i % size].push_back(ranks[i]);
    }
    return {slowestOf(mesh, whole), slowestOf(mesh, holders), slowestOf(mesh, parts)};
}

/// The replicas of each pipeline rank.
std::vector<Replicas> allReplicas(const Mesh& mesh) {
    std::vector<Replicas> all;
    for (int p = 0; p < mesh.size(Axis::Pipeline); ++p) {
        const std::vector<int> ranks = replicas(mesh, p);
        Replicas& each = all.emplace_back(groupOf(mesh, ranks), dataGroups(mesh, ranks));
        each.hosts.reserve(ranks.size());
        for (const int rank : ranks) each.hosts.push_back(mesh.host(rank));
    }
    return all;
}

/// The optimizer on the host: its updates, and the copies before and after.
void addHostCosts(StageCosts& cost, const Layout& layout, const StageShape& shape, const TensorShare& share,
                  const DeviceHost& host) {
    const NumberFormats formats = numberFormats(layout.precision);
    const int replicas = replicaCount(layout.parallel);
    const std::int64_t updated = updatedParameters(layout, shape, share, replicas - 1);
    cost.offloadBytes = formats.gradientBytes() * updated;
    cost.reloadBytes = formats.weightBytes() * updated;
    cost.offload = copySeconds(host, cost.offloadBytes);
    cost.reload = copySeconds(host, cost.reloadBytes);
    cost.optimizer = updateBytes(layout) * static_cast<double>(updated) / host.memoryBandwidth;
}

/// Each stage computes on only after its output has gone up, and its gradient down.
void waitForSends(std::vector<StageCosts>& stages) {
    for (std::size_t s = 0; s + 1 < stages.size(); ++s) {
        stages[s].sendingUp = stages[s + 1].sendingDown = stages[s].send;
        stages[s].forward += stages[s].send;
        stages[s + 1].inputGrad += stages[s].send;
        stages[s + 1].backward += stages[s].send;
    }
}

/// The collectives of a stage like it, whose blocks lie so many further up.
void moveUp(TensorCosts& costs, int layers) {
    for (std::vector<TensorCost>* list : {&costs.forward, &costs.inputGrad, &costs.weightGrad})
        for (TensorCost& collective : *list) collective.layer += layers;
}

}  // namespace

double StepCosts::tensorShare(const Action& action) const {
    const TensorCosts& tensor = stages[static_cast<std::size_t>(action.stage)].tensor;
    const bool forward = action.kind == ActionKind::Forward || action.kind == ActionKind::Recompute;
    const bool whole = action.kind == ActionKind::Backward;
    double sum = forward ? predict::seconds(tensor.forward) : 0;
    if (whole || action.kind == ActionKind::InputGrad) sum += predict::seconds(tensor.inputGrad);
    if (whole || action.kind == ActionKind::WeightGrad) sum += predict::seconds(tensor.weightGrad);
    return sum > 0 ? std::min(1.0, sum * stretch / seconds(action)) : 0;
}

std::vector<TensorSpan> StepCosts::tensorSpans(const Action& action, bool together) const {
    const StageCosts& cost = stages[static_cast<std::size_t>(action.stage)];
    const TensorCosts& tensor = cost.tensor;
    switch (action.kind) {
    case ActionKind::Forward:
    case ActionKind::Recompute: return spansWithin({&tensor.forward}, cost.forward, together);
    case ActionKind::Backward: return spansWithin({&tensor.inputGrad, &tensor.weightGrad}, cost.backward, together);
    case ActionKind::InputGrad: return spansWithin({&tensor.inputGrad}, cost.inputGrad, together);
    case ActionKind::WeightGrad: return spansWithin({&tensor.weightGrad}, cost.weightGrad, together);
    case ActionKind::OptimizerStep: return spansWithin({&tensor.update}, cost.optimizer, together);
    default: return {};
    }
}

LayeredShares StepCosts::layered(const Action& action) const {
    const StageCosts& cost = stages[static_cast<std::size_t>(action.stage)];
    if (action.kind == ActionKind::WeightGrad) return {0, 0, 1};
    if (action.kind != ActionKind::Backward && action.kind != ActionKind::InputGrad) return {0, 1, 0};
    const bool whole = action.kind == ActionKind::Backward;
    const double all = whole ? cost.backward : cost.inputGrad;
    if (all <= 0) return {0, 1, 0};
    const bool segments = std::ranges::any_of(cost.data.segments, [](int lowest) { return lowest >= 0; });
    const double again = segments ? cost.recompute / all : 0;
    return {again, cost.inputGrad / all - again, whole ? 1 - cost.inputGrad / all : 0};
}

std::vector<ActionPart> StepCosts::recomputed(const Action& action, bool together) const {
    const bool whole = action.kind == ActionKind::Backward;
    if (!whole && action.kind != ActionKind::InputGrad) return {};
    const StageCosts& cost = stages[static_cast<std::size_t>(action.stage)];
    if (cost.recompute <= 0) return {};
    const double share = cost.recompute / (whole ? cost.backward : cost.inputGrad);
    if (together) return {{0, share}};
    int all = 0, again = 0;
    for (const RecomputedBlocks& some : cost.recomputed) {
        all += some.blocks;
        again += some.times > 0 ? some.blocks : 0;
    }
    const double once = (1 - share) / all;  // of a block, besides what it computes again
    std::vector<ActionPart> parts;
    double done = 0;
    for (const RecomputedBlocks& some : std::views::reverse(cost.recomputed)) {
        if (some.times == 0) done += once * some.blocks;
        for (int time = 0; time < some.times; ++time) {
            const double part = share * some.blocks / again / some.times;
            parts.push_back({done, done + part});
            done += part + once * some.blocks / some.times;
        }
    }
    return parts;
}

StepCosts withEqualStages(StepCosts costs) {
    for (double StageCosts::*part : {&StageCosts::forward, &StageCosts::backward, &StageCosts::inputGrad,
                                     &StageCosts::weightGrad, &StageCosts::optimizer, &StageCosts::stash}) {
        double sum = 0;
        for (const StageCosts& stage : costs.stages) sum += stage.*part;
        for (StageCosts& stage : costs.stages) stage.*part = sum / static_cast<double>(costs.stages.size());
    }
    return costs;
}

StepCosts withoutRecompute(StepCosts costs) {
    for (StageCosts& stage : costs.stages) {
        stage.inputGrad -= stage.recompute;
        stage.backward -= stage.recompute;
        stage.recompute = 0;
        std::erase_if(stage.tensor.inputGrad, [](const TensorCost& collective) { return collective.again; });
    }
    return costs;
}

StepCosts withoutTensorCollectives(StepCosts costs) {
    for (StageCosts& stage : costs.stages) {
        stage.recompute -= secondsAgain(stage.tensor.inputGrad);
        stage.forward -= seconds(stage.tensor.forward);
        stage.inputGrad -= seconds(stage.tensor.inputGrad);
        stage.weightGrad -= seconds(stage.tensor.weightGrad);
        stage.backward = stage.inputGrad + stage.weightGrad;
        stage.optimizer -= seconds(stage.tensor.update);
        stage.tensor = {};
    }
    return costs;
}

StepCosts withoutCommunication(StepCosts costs) {
    for (StageCosts& stage : costs.stages) {
        stage.send = stage.reduce = stage.tied = stage.norm = stage.push = stage.pull = stage.elastic = 0;
        stage.offload = stage.reload = stage.swap = 0;
        stage.forward -= stage.sendingUp;
        stage.inputGrad -= stage.sendingDown;
        stage.backward -= stage.sendingDown;
        stage.sendingUp = stage.sendingDown = 0;
        DataCosts& data = stage.data;
        for (auto* pieces : {&data.reduce, &data.parts, &data.gatherForward, &data.gatherBackward, &data.gatherUpdated,
                             &data.fetchForward, &data.fetchBackward})
            for (DataPiece& piece : *pieces) piece.seconds = 0;
    }
    return withoutTensorCollectives(std::move(costs));
}

const DevicePreset& modelledDevice(const Layout& layout) {
    const bool onGpu = !layout.cluster.pace && layout.cluster.device == DeviceKind::Cuda;
    if (onGpu)
        if (const DevicePreset* own = presetOf(accelerators())) return *own;
    const std::string name = onGpu                 ? "h100-sxm"
                             : layout.cluster.pace ? layout.cluster.pace->device
                                                   : std::string(wordOf(layout.cluster.device));
    const DevicePreset* device = findDevice(name);
    if (device == nullptr) throw std::logic_error("no device \"" + name + "\": the layout was not checked");
    return *device;
}

int hostCores() {
    static const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // asks the system
    return cores;
}

SharedUnits sharedUnits(const Layout& layout, int cores) {
    if (layout.cluster.pace) return {};
    if (layout.cluster.device == DeviceKind::Cpu) return {cores, "cores"};
    // The GPUs of other hosts are unknown.
    return {layout.cluster.hosts.size() == 1 ? accelerators().count : 0, accelerators().count == 1 ? "GPU" : "GPUs"};
}

DevicePreset rankDevice(const Layout& layout, const Mesh& mesh, int cores) {
    DevicePreset device = modelledDevice(layout);
    if (layout.cluster.pace) {
        if (layout.cluster.pace->nodeLink > 0) device.inNode.bandwidth = layout.cluster.pace->nodeLink * 1e9;
        if (layout.cluster.pace->network > 0) device.betweenNodes.bandwidth = layout.cluster.pace->network / 8 * 1e9;
    }
    if (layout.cluster.pace || layout.cluster.device != DeviceKind::Cpu) return device;
    const int threads = std::max(1, cores / mesh.ranks());  // as launch starts them
    device.fp32Flops *= threads;
    device.bf16Flops *= threads;
    device.fp16Flops *= threads;
    device.memoryBandwidth *= threads;
    if (device.host) device.host->memoryBandwidth *= threads;  // one of them copies
    return device;
}

StepCosts stepCosts(const Layout& layout, const Mesh& mesh, const DevicePreset& modelled,
                    const std::vector<int>& rankOfStage, int cores) {
    const std::optional<StackOnDevice> stack = stackOf(layout, modelled);
    const DevicePreset device = stack ? reachedBandwidths(modelled, *stack->architecture) : modelled;
    const std::vector<StageShape> shapes = stageShapes(layout);
    const NumberFormats formats = numberFormats(layout.precision);
    const TensorShare share = tensorShare(layout);
    const auto linkOf = [&](const Group& group) {
        return stack ? ringLink(group, device) : group.hosts > 1 ? device.betweenNodes : device.inNode;
    };
    Link tensorLink = linkOf(groupOf(mesh, mesh.group(0, Axis::Tensor)));
    if (stack) tensorLink = partlyHidden(tensorLink, stack->stack->tensorHidden);
    const ContextTraffic context =
        contextTraffic(layout, share, linkOf(groupOf(mesh, mesh.group(0, Axis::Context))), device);
    Link expertLink = slowestExpertLink(mesh, device);
    if (stack)
        expertLink = partlyHidden(exchangeLink(groupOf(mesh, travelsOverFolds(layout) ? mesh.group(0, Axis::Expert)
                                                                                      : expertExchange(mesh, 0)),
                                               device, expertChoices(layout.model), stack->stack->mergesRows),
                                  stack->stack->exchangeHidden);
    const int p = mesh.size(Axis::Pipeline);
    const int d = replicaCount(layout.parallel);
    const int stages = static_cast<int>(shapes.size());
    const auto rankOf = [&](int stage) { return rankOfStage[static_cast<std::size_t>(stage)]; };
    std::vector<double> bytesOfRank(static_cast<std::size_t>(p));
    const std::vector<Replicas> replicasOf = allReplicas(mesh);
    // Whether some replica's pipeline ranks p and q are on different hosts.
    const auto crossesHosts = [&](int from, int to) {
        return replicasOf[static_cast<std::size_t>(from)].hosts != replicasOf[static_cast<std::size_t>(to)].hosts;
    };
    // What a stage computes, wherever it lies.
    const auto addCompute = [&](StageCosts& cost, const StageShape& shape) {
        const ComputeTimes times = computeTimes(layout, shape, share, device);
        cost.forward = times.forward;
        cost.inputGrad = times.inputGrad;
        cost.weightGrad = times.weightGrad;
        cost.recompute = times.recompute;
        cost.recomputed = recomputedBlocks(layout.model, layout.memory, shape);
        if (share.size > 1 || share.context > 1 || share.expert > 1) {
            cost.tensor = tensorCosts(layout, shape,
                                      shape.first != shape.last && flushes(layout) && sharesEmbedding(layout.model),
                                      tensorLink, context, expertLink);
            cost.recompute += secondsAgain(cost.tensor.inputGrad);
            cost.forward += seconds(cost.tensor.forward);
            cost.inputGrad += seconds(cost.tensor.inputGrad);
            cost.weightGrad += seconds(cost.tensor.weightGrad);
        }
        cost.backward = cost.inputGrad + cost.weightGrad;
    };
    StepCosts costs;
    costs.stages.resize(shapes.size());
    for (int part = 0; part < share.size; ++part)
        costs.keyHeads.push_back(ownKeyHeads(layout.model, tensorShare(layout, part)));
    std::int64_t parameters = 0;  // of the stage
    for (int s = 0; s < stages; ++s) {
        const StageShape& shape = shapes[static_cast<std::size_t>(s)];
        StageCosts& cost = costs.stages[static_cast<std::size_t>(s)];
        const bool repeats = s > 0 && alike(layout.model, shapes[static_cast<std::size_t>(s - 1)], shape);
        if (repeats) {
            cost = costs.stages[static_cast<std::size_t>(s - 1)];
            cost.sendBytes = 0;
            cost.send = 0;
            moveUp(cost.tensor, shape.firstLayer - shapes[static_cast<std::size_t>(s - 1)].firstLayer);
        } else {
            addCompute(cost, shape);
            parameters = stageParameters(layout.model, shape, share);
        }

        if (s + 1 < stages && rankOf(s) != rankOf(s + 1)) {
            const Link link = linkOf({2, crossesHosts(rankOf(s), rankOf(s + 1)) ? 2 : 1});
            cost.sendBytes = formats.activationBytes() *
                             boundaryFloats(layout.model, shapes[static_cast<std::size_t>(s) + 1].firstLayer,
                                            layout.batch.micro, share);
            const bool inParts = stack && stack->stack->splitsMessages && !share.sequence;
            cost.send =
                link.latency + static_cast<double>(cost.sendBytes) / (inParts ? share.size : 1) / link.bandwidth;
        }
        const std::int64_t gradientBytes = formats.gradientBytes() * parameters;
        if (d > 1) {
            const Group& group = replicasOf[static_cast<std::size_t>(rankOf(s))].group;
            const bool gathers = stack && layout.parallel.zero == 3;
            const DataGroups& groups = replicasOf[static_cast<std::size_t>(rankOf(s))].exchanging;
            const auto replicaLink = [&](const Group& of) {
                return gathers ? ringLink(of, device, stack->stack->gatherShare) : linkOf(of);
            };
            cost.reduceBytes = gradientBytes - formats.gradientBytes() * spreadParameters(layout.model, shape, share);
            const Collective reduction = allReduce(static_cast<double>(cost.reduceBytes), group, device);
            cost.reduce = reduction.seconds;
            cost.reduceAlgorithm = reduction.algorithm;
            if (!repeats || replicasOf[static_cast<std::size_t>(rankOf(s - 1))].exchanging != groups)
                cost.data = dataCosts(layout, shape, share, groups, replicaLink(groups.copy),
                                      replicaLink(groups.holders), device);
            if (codesExchange(layout)) {
                cost.reduceBytes = 0;
                cost.reduce = 0;
                for (const DataPiece& piece : cost.data.reduce) {
                    cost.reduceBytes += piece.bytes;
                    cost.reduce += piece.seconds;
                }
            }
        } else if (!repeats && layout.parallel.zero > 0) {
            cost.data = dataCosts(layout, shape, share, replicasOf[static_cast<std::size_t>(rankOf(s))].exchanging,
                                  device.inNode, device.inNode, device);
        } else if (!repeats) {
            setLayerShares(cost.data, layout, shape, share);
        }
        if (shape.first != shape.last && sharesEmbedding(layout.model)) {
            const std::int64_t bytes = formats.gradientBytes() * tableParameters(layout.model, share);
            const int first = rankOf(0), last = rankOf(stages - 1);
            if (first != last) cost.tiedBytes = bytes;
            const Group ends{2, first != last && crossesHosts(first, last) ? 2 : 1};
            cost.tied = first != last ? allReduce(static_cast<double>(bytes), ends, device).seconds
                                      : device.kernelSeconds + 4 * static_cast<double>(bytes) / device.memoryBandwidth;
        }
        bytesOfRank[static_cast<std::size_t>(rankOf(s))] += static_cast<double>(gradientBytes);
        cost.weightBytes = formats.weightBytes() * parameters;
        cost.stash = device.kernelSeconds + 2 * static_cast<double>(cost.weightBytes) / device.memoryBandwidth;
        // ZeRO: each replica updates its shard, of experts one of those that hold the same.
        const auto spread = static_cast<double>(spreadParameters(layout.model, shape, share));
        const bool shards = layout.parallel.zero > 0;
        const double updated = (static_cast<double>(parameters) - spread) / (shards ? d / mesh.copies() : 1) +
                               spread / (shards ? expertHolders(layout.parallel) : 1);
        cost.optimizer =
            device.kernelSeconds + updateBytes(layout) * updated / device.memoryBandwidth + seconds(cost.tensor.update);
        if (offloadsOptimizer(layout.memory)) addHostCosts(cost, layout, shape, share, *device.host);
        if (swapsActivations(layout.memory)) {
            const bool received = s > 0 && rankOf(s - 1) != rankOf(s);
            cost.swapBytes = total(swappedBytes(stageBuffers(layout, shape, {received}, share), shape, received));
            cost.swap = copySeconds(*device.host, cost.swapBytes);
        }
    }
    if (stack && stack->stack->blockingSends) waitForSends(costs.stages);
    const std::vector<int> replica = replicaRanks(mesh, 0);
    const Collective norm = allReduce(sizeof(double), groupOf(mesh, replica), device);
    for (int s = 0; s < stages; ++s) {
        StageCosts& cost = costs.stages[static_cast<std::size_t>(s)];
        cost.normReading =
            device.kernelSeconds + bytesOfRank[static_cast<std::size_t>(rankOf(s))] / device.memoryBandwidth;
        cost.norm = norm.seconds;
        cost.normBytes = replica.size() > 1 ? sizeof(double) : 0;
        cost.normAlgorithm = norm.algorithm;
    }
    if (layout.parallel.exchange == Exchange::AsyncServer) costs.asyncWorkers = workers(layout.parallel);
    if (layout.parallel.exchange != Exchange::AllReduce)
        addServerCosts(
            costs, layout, rankOfStage,
            [&](int rank) {
                return replicasOf[static_cast<std::size_t>(rank)].group.hosts > 1 ? device.betweenNodes : device.inNode;
            },
            device.memoryBandwidth);
    if (const int units = sharedUnits(layout, cores).count; units > 0 && mesh.ranks() > units)
        costs.cores = double(p) * units / mesh.ranks();
    return costs;
}

}  // namespace shardlab::predict
