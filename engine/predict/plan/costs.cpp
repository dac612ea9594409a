// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/costs.h"

#include "engine/predict/plan/accelerators.h"

#include <algorithm>
#include <ranges>
#include <stdexcept>
#include <thread>

namespace shardlab::predict {

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
        stage.inputGrad -= stage.recompute + stage.logitsAgain;
        stage.weightGrad -= stage.logitsAgain;
        stage.backward -= stage.recompute + stage.logitsOfBackward * stage.logitsAgain;
        stage.recompute = stage.logitsAgain = 0;
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
        stage.backward -= seconds(stage.tensor.inputGrad) + seconds(stage.tensor.weightGrad);
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

}  // namespace shardlab::predict
