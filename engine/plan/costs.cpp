// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/costs.h"

#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace shardlab {
namespace {

constexpr double floatBytes = 4;
// Kernels of a forward: a norm, products, bias, scores, softmax … each counted once.
constexpr int gptLayerKernels = 12;
constexpr int mlpLayerKernels = 5;
constexpr int coreKernels = 3;
constexpr int embeddingKernels = 1;
constexpr int outputKernels = 3;

double kernelSeconds(const DevicePreset& device, double flops, double bytes, int kernels) {
    return flops / (device.fp32Flops * device.matmulEfficiency) + bytes / device.memoryBandwidth +
           kernels * device.kernelSeconds;
}

/// Of what the member computes; without the collectives.
double forwardSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                      const DevicePreset& device) {
    const int samples = layout.batch.micro;
    const double flops = stageForwardFlops(layout.model, stage, samples, share);
    const double bytes = 2 * floatBytes * static_cast<double>(stageStoredFloats(layout.model, stage, samples, share));
    int kernels = stage.layers * (layout.model.kind == "gpt" ? gptLayerKernels : mlpLayerKernels);
    if (stage.first) kernels += embeddingKernels;
    if (stage.last) kernels += outputKernels;
    return kernelSeconds(device, flops, bytes, kernels);
}

/// Of what the backward computes again; without the collectives.
double recomputeSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                        const DevicePreset& device) {
    if (!recomputeSegments(layout.memory, stage.layers).empty())
        return forwardSeconds(layout, {stage.layers, false, false, stage.firstLayer}, share, device);
    if (!recomputesCore(layout.memory)) return 0;
    const int samples = layout.batch.micro;
    return stage.layers *
           kernelSeconds(device, coreForwardFlops(layout.model, samples, share),
                         2 * floatBytes * static_cast<double>(coreStoredFloats(layout.model, samples, share)), coreKernels);
}

/// Floats that one update reads and writes for each parameter.
double updateFloats(const OptimizerSpec& optimizer) {
    if (optimizer.kind == "adamw") return 7;      // reads g, w, m, v; writes w, m, v
    return optimizer.momentum > 0 ? 5 : 3;        // reads g, w, (u); writes w, (u)
}

/// The slower of the links among `ranks`.
Link slowestLink(const Mesh& mesh, const DevicePreset& device, const std::vector<int>& ranks) {
    for (int rank : ranks)
        if (mesh.host(rank) != mesh.host(ranks.front())) return device.betweenNodes;
    return device.inNode;
}

/// World ranks of pipeline rank `p`, one a replica.
std::vector<int> replicas(const Mesh& mesh, int p) {
    Coordinates place{};
    place[static_cast<std::size_t>(Axis::Pipeline)] = p;
    return mesh.group(mesh.rank(place), Axis::Data);
}

/// Whether some replica's pipeline ranks p and q are on different hosts.
bool crossesHosts(const Mesh& mesh, int p, int q) {
    const std::vector<int> from = replicas(mesh, p), to = replicas(mesh, q);
    for (std::size_t i = 0; i < from.size(); ++i)
        if (mesh.host(from[i]) != mesh.host(to[i])) return true;
    return false;
}

}  // namespace

double StepCosts::seconds(const Action& action) const {
    const auto stage = static_cast<std::size_t>(action.stage);
    const StageCosts& cost = stages[stage];
    switch (action.kind) {
        case ActionKind::Forward:
        case ActionKind::Recompute: return cost.forward * stretch;
        case ActionKind::Backward: return cost.backward * stretch;
        case ActionKind::InputGrad: return cost.inputGrad * stretch;
        case ActionKind::WeightGrad: return cost.weightGrad * stretch;
        case ActionKind::SendForward: return cost.send * stretch;
        case ActionKind::SendBackward: return stages[stage - 1].send * stretch;
        case ActionKind::ReduceGradients: return cost.reduce * stretch;
        case ActionKind::ReduceTied: return cost.tied * stretch;
        case ActionKind::ReduceNorm: return cost.norm * stretch;
        case ActionKind::OptimizerStep: return cost.optimizer * stretch;
        case ActionKind::StashWeights: return cost.stash * stretch;
        case ActionKind::FreeWeights:
        case ActionKind::RecvForward:
        case ActionKind::RecvBackward:
        case ActionKind::ReduceBuckets:
        case ActionKind::ScatterGradients:
        case ActionKind::GatherForward:
        case ActionKind::GatherBackward:
        case ActionKind::GatherUpdated:
        case ActionKind::None: break;
    }
    return 0;
}

std::int64_t StepCosts::bytes(const Action& action) const {
    const auto stage = static_cast<std::size_t>(action.stage);
    switch (action.kind) {
        case ActionKind::SendForward:
        case ActionKind::RecvBackward: return stages[stage].sendBytes;
        case ActionKind::SendBackward:
        case ActionKind::RecvForward: return stages[stage - 1].sendBytes;
        case ActionKind::ReduceGradients: return stages[stage].reduceBytes;
        case ActionKind::ReduceTied: return stages[stage].tiedBytes;
        case ActionKind::ReduceNorm: return sizeof(double);
        case ActionKind::StashWeights:
        case ActionKind::FreeWeights: return stages[stage].weightBytes;
        default: return 0;
    }
}

std::vector<TensorSpan> StepCosts::tensorSpans(const Action& action, bool together) const {
    const StageCosts& cost = stages[static_cast<std::size_t>(action.stage)];
    const TensorCosts& tensor = cost.tensor;
    switch (action.kind) {
        case ActionKind::Forward:
        case ActionKind::Recompute: return spansWithin({&tensor.forward}, cost.forward, together);
        case ActionKind::Backward:
            return spansWithin({&tensor.inputGrad, &tensor.weightGrad}, cost.backward, together);
        case ActionKind::InputGrad: return spansWithin({&tensor.inputGrad}, cost.inputGrad, together);
        case ActionKind::WeightGrad: return spansWithin({&tensor.weightGrad}, cost.weightGrad, together);
        default: return {};
    }
}

std::vector<ActionPart> StepCosts::recomputed(const Action& action, bool together) const {
    const bool whole = action.kind == ActionKind::Backward;
    if (!whole && action.kind != ActionKind::InputGrad) return {};
    const StageCosts& cost = stages[static_cast<std::size_t>(action.stage)];
    if (cost.recompute <= 0) return {};
    const double share = cost.recompute / (whole ? cost.backward : cost.inputGrad);
    if (together) return {{0, share}};
    const int blocks = std::accumulate(cost.segments.begin(), cost.segments.end(), 0);
    std::vector<ActionPart> parts;
    double done = 0;
    for (std::size_t i = cost.segments.size(); i-- > 0;) {
        const double ofStage = double(cost.segments[i]) / blocks;
        parts.push_back({done, done + share * ofStage});
        done += ofStage;
    }
    return parts;
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
        stage.tensor = {};
    }
    return costs;
}

StepCosts withoutCommunication(StepCosts costs) {
    for (StageCosts& stage : costs.stages) stage.send = stage.reduce = stage.tied = stage.norm = 0;
    return withoutTensorCollectives(std::move(costs));
}

const DevicePreset& modelledDevice(const Layout& layout) {
    const std::string& name = layout.cluster.pace ? layout.cluster.pace->device : layout.cluster.device;
    const DevicePreset* device = findDevice(name);
    if (device == nullptr) throw std::logic_error("no device \"" + name + "\": the layout was not checked");
    return *device;
}

int hostCores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

DevicePreset rankDevice(const Layout& layout, const Mesh& mesh, int cores) {
    DevicePreset device = modelledDevice(layout);
    if (layout.cluster.pace || layout.cluster.device != "cpu") return device;
    const int threads = std::max(1, cores / mesh.ranks());  // as launch starts them
    device.fp32Flops *= threads;
    device.memoryBandwidth *= threads;
    return device;
}

StepCosts stepCosts(const Layout& layout, const Mesh& mesh, const DevicePreset& device,
                    const std::vector<int>& rankOfStage, int cores) {
    const std::vector<StageShape> shapes = stageShapes(layout);
    const TensorShare share = tensorShare(layout);
    const Link tensorLink = slowestLink(mesh, device, mesh.group(0, Axis::Tensor));
    const int p = mesh.size(Axis::Pipeline);
    const int d = mesh.size(Axis::Data);
    const int stages = static_cast<int>(shapes.size());
    const auto rankOf = [&](int stage) { return rankOfStage[static_cast<std::size_t>(stage)]; };
    std::vector<double> bytesOfRank(static_cast<std::size_t>(p));
    StepCosts costs;
    costs.stages.resize(shapes.size());
    for (int s = 0; s < stages; ++s) {
        const StageShape& shape = shapes[static_cast<std::size_t>(s)];
        StageCosts& cost = costs.stages[static_cast<std::size_t>(s)];
        cost.forward = forwardSeconds(layout, shape, share, device);
        cost.recompute = recomputeSeconds(layout, shape, share, device);
        cost.segments = recomputesCore(layout.memory) ? std::vector<int>(static_cast<std::size_t>(shape.layers), 1)
                                                      : recomputeSegments(layout.memory, shape.layers);
        cost.inputGrad = cost.forward + cost.recompute;
        cost.weightGrad = cost.forward;
        if (share.size > 1) {
            cost.tensor = tensorCosts(layout, shape, tensorLink);
            cost.recompute += secondsAgain(cost.tensor.inputGrad);
            cost.forward += seconds(cost.tensor.forward);
            cost.inputGrad += seconds(cost.tensor.inputGrad);
            cost.weightGrad += seconds(cost.tensor.weightGrad);
        }
        cost.backward = cost.inputGrad + cost.weightGrad;

        if (s + 1 < stages && rankOf(s) != rankOf(s + 1)) {
            const Link& link = crossesHosts(mesh, rankOf(s), rankOf(s + 1)) ? device.betweenNodes : device.inNode;
            cost.sendBytes = static_cast<std::int64_t>(floatBytes) * boundaryFloats(layout.model, layout.batch.micro, share);
            cost.send = link.latency + static_cast<double>(cost.sendBytes) / link.bandwidth;
        }
        const auto parameterBytes = static_cast<std::int64_t>(floatBytes) * stageParameters(layout.model, shape, share);
        if (d > 1) {
            cost.reduceBytes = parameterBytes;
            const Collective reduction = allReduce(static_cast<double>(parameterBytes),
                                                   groupOf(mesh, replicas(mesh, rankOf(s))), device);
            cost.reduce = reduction.seconds;
            cost.reduceAlgorithm = reduction.algorithm;
        }
        if (shape.first != shape.last) {
            const auto bytes = static_cast<std::int64_t>(floatBytes) * tiedParameters(layout.model, share);
            const int first = rankOf(0), last = rankOf(stages - 1);
            if (first != last) cost.tiedBytes = bytes;
            const Group ends{2, first != last && crossesHosts(mesh, first, last) ? 2 : 1};
            cost.tied = first != last
                            ? allReduce(static_cast<double>(bytes), ends, device).seconds
                            : device.kernelSeconds + 4 * static_cast<double>(bytes) / device.memoryBandwidth;
        }
        bytesOfRank[static_cast<std::size_t>(rankOf(s))] += static_cast<double>(parameterBytes);
        cost.weightBytes = parameterBytes;
        cost.stash = device.kernelSeconds + 2 * static_cast<double>(parameterBytes) / device.memoryBandwidth;
        cost.optimizer = device.kernelSeconds +
                         updateFloats(layout.optimizer) * static_cast<double>(parameterBytes) / device.memoryBandwidth;
    }
    const Collective norm = allReduce(sizeof(double), groupOf(mesh, replicaRanks(mesh, 0)), device);
    for (int s = 0; s < stages; ++s) {
        StageCosts& cost = costs.stages[static_cast<std::size_t>(s)];
        cost.norm = device.kernelSeconds +
                    bytesOfRank[static_cast<std::size_t>(rankOf(s))] / device.memoryBandwidth + norm.seconds;
        cost.normAlgorithm = norm.algorithm;
    }
    if (!layout.cluster.pace && layout.cluster.device == "cpu")
        if (mesh.ranks() > cores) costs.cores = double(p) * cores / mesh.ranks();
    return costs;
}

}  // namespace shardlab
