// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/waterfall.h"

#include "engine/predict/plan/compute_split.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardlab::predict {
namespace {

constexpr double lastDigits = 1e-13;  ///< of a step

StepCosts withoutUpdate(StepCosts costs) {
    for (StageCosts& stage : costs.stages) stage.optimizer = stage.stash = stage.normReading = 0;
    return costs;
}

/// How long a rank's compute lane is busy, in the mean over ranks.
double busySeconds(const Simulation& step) {
    return std::accumulate(step.busySeconds.begin(), step.busySeconds.end(), 0.0) /
           static_cast<double>(step.busySeconds.size());
}

/// One microbatch over all stages.
ComputeSplit splitOfStages(const Plan& plan) {
    const DevicePreset device = rankDevice(plan.layout, plan.mesh, plan.measurements);
    const TensorShare share = tensorShare(plan.layout);
    ComputeSplit sum;
    for (const StageShape& shape : stageShapes(plan.layout)) {
        const ComputeSplit stage = computeSplit(plan.layout, shape, share, device);
        sum.peak += stage.peak;
        sum.shape += stage.shape;
        sum.passes += stage.passes;
        sum.kernels += stage.kernels;
        sum.factor += stage.factor;
    }
    return sum;
}

double secondsOfStages(const StepCosts& costs) {
    return std::accumulate(costs.stages.begin(), costs.stages.end(), 0.0,
                           [](double sum, const StageCosts& stage) { return sum + stage.forward + stage.backward; });
}

}  // namespace

std::string_view name(WaterfallPart part) {
    constexpr std::array<std::string_view, waterfallParts> names{
        "compute at peak",       "shape",         "memory-bound passes",
        "kernel starts",         "recomputation", "bubble",
        "exposed communication", "optimizer",     "rest"};
    return names[static_cast<std::size_t>(part)];
}

std::string_view meaning(WaterfallPart part) {
    constexpr std::array<std::string_view, waterfallParts> sentences{
        "Products and attention of a forward and a backward, at the devices' peak for their formats.",
        "What products and attention take longer on their shapes: tiles and waves that are not full, short inner "
        "widths, narrow heads, and the share of the peak that kernels reach at all.",
        "Norms, activations, residual sums, losses and operands of narrow products: bytes through memory that no "
        "product hides.",
        "The time from one kernel to the next.",
        "Activations that were not kept are computed again in the backward.",
        "Ranks wait for each other while the pipeline fills and drains, and for slower stages, as if transfers took no "
        "time. The bubble beside a layout's step time counts waiting for transfers too, and as a share of the time "
        "from the first forward to the last backward, not of the step.",
        "Messages, reductions and gathers, collectives of tensor, context and expert groups, and copies between device "
        "and host, as far as no compute hides them.",
        "The update of the weights, reading gradients for their norm, and copies of weights.",
        "Ranks that share cores, the factor that a software stack takes over all its work, and compute that was "
        "measured "
        "as a whole."};
    return sentences[static_cast<std::size_t>(part)];
}

Waterfall waterfall(const Plan& plan) {
    Waterfall fall;
    fall.stepSeconds = plan.stepSeconds;
    const auto set = [&](WaterfallPart part, double seconds) {
        fall.seconds[static_cast<std::size_t>(part)] = seconds;
    };
    StepCosts costs = plan.costs;
    costs.stretch = 1;
    costs.cores = 0;
    const double step = simulatedSeconds(plan.lowered, costs);
    costs = withoutCommunication(std::move(costs));
    const double alone = simulatedSeconds(plan.lowered, costs);
    costs = withoutUpdate(std::move(costs));
    const Simulation computing = simulateWithoutEvents(plan.lowered, costs);
    const double busy = busySeconds(computing);
    costs = withoutRecompute(std::move(costs));
    const double once = busySeconds(simulateWithoutEvents(plan.lowered, costs));
    set(WaterfallPart::Communication, step - alone);
    set(WaterfallPart::Optimizer, alone - computing.stepSeconds);
    set(WaterfallPart::Bubble, computing.stepSeconds - busy);
    set(WaterfallPart::Recompute, busy - once);

    const ComputeSplit split = splitOfStages(plan);
    const double perStage = once / secondsOfStages(costs);  // from one microbatch over all stages to a rank's step
    const CostBasis::Kind basis = costBasis(plan.measurements, plan.layout).kind;
    if (basis == CostBasis::Kind::Preset || basis == CostBasis::Kind::Core) {
        set(WaterfallPart::Peak, split.peak * perStage);
        set(WaterfallPart::Shape, split.shape * perStage);
        set(WaterfallPart::Passes, split.passes * perStage);
        set(WaterfallPart::Kernels, split.kernels * perStage);
    } else if (plan.peak.known()) {
        set(WaterfallPart::Peak, std::min(once, split.peak * perStage));
    }
    // Last, so that the parts are the step; what its sums lose in their last digits is no part.
    const double rest = fall.stepSeconds - std::accumulate(fall.seconds.begin(), fall.seconds.end(), 0.0);
    if (std::abs(rest) > lastDigits * fall.stepSeconds) set(WaterfallPart::Rest, rest);
    return fall;
}

}  // namespace shardlab::predict
