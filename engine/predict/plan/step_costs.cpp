// SPDX-License-Identifier: Apache-2.0
// The costs of a step from the layout, the mesh and what a device and a software stack reach.
#include "engine/predict/plan/costs.h"

#include "engine/layout/alike_stages.h"
#include "engine/layout/coded_exchange.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/layout/mesh/copies.h"
#include "engine/predict/plan/compute_costs.h"
#include "engine/predict/plan/layer_moments.h"
#include "engine/predict/plan/server_costs.h"
#include "engine/predict/plan/stack_times.h"
#include "engine/predict/plan/stage_buffers.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>

namespace shardlab::predict {
namespace {

/// A link as long as whose messages only the share counts that compute does not hide.
Link partlyHidden(Link link, double hidden) {
    return {link.bandwidth / std::max(1e-3, 1 - hidden), link.latency * (1 - hidden)};
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

/// Finds the costs of a layout's stages, one stage after another.
class StepCosting {
public:
    StepCosting(const Layout& layout, const MeshGroups& groups, const DevicePreset& modelled,
                const std::vector<int>& rankOfStage)
        : layout_(layout), groups_(groups), rankOfStage_(rankOfStage), stack_(stackOf(layout, modelled)),
          device_(stack_ ? reachedBandwidths(modelled, *stack_->architecture) : modelled), shapes_(stageShapes(layout)),
          formats_(numberFormats(layout.precision)), share_(layout::tensorShare(layout)), tensorLink_(tensorLink()),
          expertLink_(expertLink()), context_(contextTraffic(layout, share_, linkOf(groups.context), device_)) {}

    StepCosts find() {
        StepCosts costs;
        costs.stages.resize(shapes_.size());
        for (int part = 0; part < share_.size; ++part)
            costs.heads.push_back(ownHeads(layout_.model, layout::tensorShare(layout_, part)));
        std::vector<double> bytesOfRank(groups_.replicas.size());
        for (std::size_t s = 0; s < shapes_.size(); ++s) {
            StageCosts& cost = costs.stages[s];
            const bool repeats = s > 0 && alike(layout_.model, shapes_[s - 1], shapes_[s]);
            if (repeats) {
                cost = costs.stages[s - 1];
                cost.sendBytes = 0;
                cost.send = 0;
                moveUp(cost.tensor, shapes_[s].firstLayer - shapes_[s - 1].firstLayer);
            } else {
                addCompute(cost, shapes_[s]);
                parameters_ = stageParameters(layout_.model, shapes_[s], share_);
            }
            if (s + 1 < shapes_.size() && rankOf(s) != rankOf(s + 1)) addMessage(cost, s);
            addExchange(cost, s, repeats);
            if (shapes_[s].first != shapes_[s].last && sharesEmbedding(layout_.model)) addTied(cost);
            addUpdate(cost, s);
            if (swapsActivations(layout_.memory)) addSwaps(cost, s);
            bytesOfRank[rankOf(s)] += static_cast<double>(gradientBytes());
        }
        if (stack_ && stack_->stack->blockingSends) waitForSends(costs.stages);
        const Collective norm = allReduce(sizeof(double), groups_.replica, device_);
        for (std::size_t s = 0; s < shapes_.size(); ++s) {
            StageCosts& cost = costs.stages[s];
            cost.normReading = device_.kernelSeconds + bytesOfRank[rankOf(s)] / device_.memoryBandwidth;
            cost.norm = norm.seconds;
            cost.normBytes = groups_.replica.members > 1 ? sizeof(double) : 0;
            cost.normAlgorithm = norm.algorithm;
        }
        addServer(costs);
        return costs;
    }

private:
    std::size_t rankOf(std::size_t stage) const { return static_cast<std::size_t>(rankOfStage_[stage]); }
    std::int64_t gradientBytes() const { return formats_.gradientBytes() * parameters_; }

    Link linkOf(const Group& group) const {
        return stack_ ? ringLink(group, device_) : group.hosts > 1 ? device_.betweenNodes : device_.inNode;
    }
    Link tensorLink() const {
        const Link link = linkOf(groups_.tensor);
        return stack_ ? partlyHidden(link, stack_->stack->tensorHidden) : link;
    }
    Link expertLink() const {
        if (!stack_) return groups_.rowsCrossHosts ? device_.betweenNodes : device_.inNode;
        const Group& group = travelsOverFolds(layout_) ? groups_.expert : groups_.expertExchange;
        return partlyHidden(exchangeLink(group, device_, expertChoices(layout_.model), stack_->stack->mergesRows),
                            stack_->stack->exchangeHidden);
    }
    /// Two pipeline ranks: 2 hosts if those of some replica are on different ones.
    Group pairOf(std::size_t from, std::size_t to) const {
        return {2, groups_.replicas[from].hosts != groups_.replicas[to].hosts ? 2 : 1};
    }

    /// What a stage computes, wherever it lies.
    void addCompute(StageCosts& cost, const StageShape& shape) const {
        const ComputeTimes times = computeTimes(layout_, shape, share_, device_);
        cost.forward = times.forward;
        cost.inputGrad = times.inputGrad;
        cost.weightGrad = times.weightGrad;
        cost.recompute = times.recompute;
        cost.logitsAgain = times.logitsAgain;
        cost.logitsOfBackward = makesLogitsOnce(layout_) ? 1 : 2;
        cost.recomputed = recomputedBlocks(layout_.model, layout_.memory, shape);
        if (share_.size > 1 || share_.context > 1 || share_.expert > 1) {
            const bool tied = shape.first != shape.last && flushes(layout_) && sharesEmbedding(layout_.model);
            cost.tensor = tensorCosts(layout_, shape, tied, tensorLink_, context_, expertLink_);
            cost.recompute += secondsAgain(cost.tensor.inputGrad);
            cost.forward += seconds(cost.tensor.forward);
            cost.inputGrad += seconds(cost.tensor.inputGrad);
            cost.weightGrad += seconds(cost.tensor.weightGrad);
        }
        cost.backward = cost.inputGrad + cost.weightGrad - (2 - cost.logitsOfBackward) * cost.logitsAgain;
    }

    /// The message to the next stage, which lies on another rank.
    void addMessage(StageCosts& cost, std::size_t s) const {
        const Link link = linkOf(pairOf(rankOf(s), rankOf(s + 1)));
        cost.sendBytes = formats_.activationBytes() *
                         boundaryFloats(layout_.model, shapes_[s + 1].firstLayer, layout_.batch.micro, share_);
        const bool inParts = stack_ && stack_->stack->splitsMessages && !share_.sequence;
        cost.send = link.latency + static_cast<double>(cost.sendBytes) / (inParts ? share_.size : 1) / link.bandwidth;
    }

    /// What replicas exchange of a stage; `repeats`: its costs are those of the stage below so far.
    void addExchange(StageCosts& cost, std::size_t s, bool repeats) const {
        const Replicas& replicas = groups_.replicas[rankOf(s)];
        const DataGroups& groups = replicas.exchanging;
        if (replicaCount(layout_.parallel) == 1) {
            if (repeats) return;
            if (layout_.parallel.zero == 0) return setLayerShares(cost.data, layout_, shapes_[s], share_);
            cost.data =
                dataCosts(layout_, shapes_[s], share_, groups, device_.inNode, device_.inNode, device_.inNode, device_);
            return;
        }
        const auto replicaLink = [&](const Group& group) {
            if (!stack_ || layout_.parallel.zero == 0) return linkOf(group);
            const SoftwareStack& stack = *stack_->stack;
            return ringLink(group, device_, layout_.parallel.zero == 3 ? stack.gatherShare : stack.ownerShare);
        };
        if (!repeats || groups_.replicas[rankOf(s - 1)].exchanging != groups)
            cost.data = dataCosts(layout_, shapes_[s], share_, groups, replicaLink(groups.copy),
                                  replicaLink(groups.holders), linkOf(groups.parts), device_);
        if (codesExchange(layout_)) {
            cost.reduceBytes = 0;
            cost.reduce = 0;
            for (const DataPiece& piece : cost.data.reduce) {
                cost.reduceBytes += piece.bytes;
                cost.reduce += piece.seconds;
            }
            return;
        }
        cost.reduceBytes =
            gradientBytes() - formats_.gradientBytes() * spreadParameters(layout_.model, shapes_[s], share_);
        const bool elastic = layout_.parallel.exchange == Exchange::Elastic;
        const Collective reduction =
            allReduce(static_cast<double>(cost.reduceBytes), elastic ? groups.copy : replicas.group, device_);
        cost.reduce = reduction.seconds;
        cost.reduceAlgorithm = reduction.algorithm;
    }

    /// The gradient of a token embedding that the first and the last stage share.
    void addTied(StageCosts& cost) const {
        const std::int64_t bytes = formats_.gradientBytes() * tableParameters(layout_.model, share_);
        const std::size_t first = rankOf(0), last = rankOf(shapes_.size() - 1);
        if (first == last) {
            cost.tied = device_.kernelSeconds + 4 * static_cast<double>(bytes) / device_.memoryBandwidth;
            return;
        }
        cost.tiedBytes = bytes;
        cost.tied = allReduce(static_cast<double>(bytes), pairOf(first, last), device_).seconds;
    }

    /// The update of the weights, and the stash of those that a later backward needs.
    void addUpdate(StageCosts& cost, std::size_t s) const {
        cost.weightBytes = formats_.weightBytes() * parameters_;
        cost.stash = device_.kernelSeconds + 2 * static_cast<double>(cost.weightBytes) / device_.memoryBandwidth;
        // ZeRO: each replica updates its shard, of experts one of those that hold the same.
        const auto spread = static_cast<double>(spreadParameters(layout_.model, shapes_[s], share_));
        const bool shards = layout_.parallel.zero > 0;
        const int sharing = replicaCount(layout_.parallel) / groups_.mesh.copies();
        const double updated = (static_cast<double>(parameters_) - spread) / (shards ? sharing : 1) +
                               spread / (shards ? expertHolders(layout_.parallel) : 1);
        cost.optimizer = device_.kernelSeconds + updateBytes(layout_) * updated / device_.memoryBandwidth +
                         seconds(cost.tensor.update);
        if (offloadsOptimizer(layout_.memory)) addHostCosts(cost, layout_, shapes_[s], share_, *device_.host);
    }

    void addSwaps(StageCosts& cost, std::size_t s) const {
        const bool received = s > 0 && rankOf(s - 1) != rankOf(s);
        const StageShape& shape = shapes_[s];
        cost.swapBytes = total(swappedBytes(stageBuffers(layout_, shape, {received}, share_), shape, received));
        cost.swap = copySeconds(*device_.host, cost.swapBytes);
    }

    /// Replicas that exchange with a server, not with each other.
    void addServer(StepCosts& costs) const {
        const Exchange exchange = layout_.parallel.exchange;
        if (exchange == Exchange::AllReduce) return;
        if (exchange == Exchange::AsyncServer) costs.asyncWorkers = workers(layout_.parallel);
        const auto linkOfRank = [&](int rank) {
            return groups_.replicas[static_cast<std::size_t>(rank)].group.hosts > 1 ? device_.betweenNodes
                                                                                    : device_.inNode;
        };
        addServerCosts(costs, layout_, rankOfStage_, linkOfRank, device_.memoryBandwidth);
    }

    const Layout& layout_;
    const MeshGroups& groups_;
    const std::vector<int>& rankOfStage_;
    std::optional<StackOnDevice> stack_;
    DevicePreset device_;
    std::vector<StageShape> shapes_;
    NumberFormats formats_;
    TensorShare share_;
    Link tensorLink_, expertLink_;
    ContextTraffic context_;
    std::int64_t parameters_ = 0;  ///< of the stage
};

}  // namespace

StepCosts stepCosts(const Layout& layout, const MeshGroups& groups, const DevicePreset& modelled,
                    const std::vector<int>& rankOfStage, int cores) {
    const Mesh& mesh = groups.mesh;
    StepCosts costs = StepCosting(layout, groups, modelled, rankOfStage).find();
    if (const int units = sharedUnits(layout, cores).count; units > 0 && mesh.ranks() > units)
        costs.cores = double(mesh.size(Axis::Pipeline)) * units / mesh.ranks();
    return costs;
}

}  // namespace shardlab::predict
