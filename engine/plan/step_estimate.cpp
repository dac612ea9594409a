// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/step_estimate.h"

#include "engine/plan/plan.h"
#include "engine/plan/simulate.h"
#include "engine/schedule/passes.h"
#include "engine/schedule/registry.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardlab {
namespace {

constexpr int wholeForwards = 2048;  ///< of one replica: about what is simulated of a step
constexpr int fewestPeriods = 6;

bool refused(const ScheduleMethod& method, const ScheduleShape& shape) {
    return method.refusal != nullptr && method.refusal(shape).has_value();
}

/// f(m) on the line through (m₁, f₁) and (m₂, f₂).
struct Line {
    double m1, m2, m;
    double operator()(double f1, double f2) const { return f2 + (m - m2) * (f2 - f1) / (m2 - m1); }
    std::int64_t operator()(std::int64_t f1, std::int64_t f2) const {
        return f2 + std::llround((m - m2) * static_cast<double>(f2 - f1) / (m2 - m1));
    }
};

RankMemory continued(const Line& line, const RankMemory& first, const RankMemory& second) {
    RankMemory memory = second;
    for (std::size_t i = 0; i < memory.bytes.size(); ++i) memory.bytes[i] = line(first.bytes[i], second.bytes[i]);
    memory.peak = line(first.peak, second.peak);
    memory.microbatchesInFlight = static_cast<int>(
        line(std::int64_t{first.microbatchesInFlight}, std::int64_t{second.microbatchesInFlight}));
    return memory;
}

}  // namespace

StepEstimate StepEstimator::estimate(const Choice& choice) {
    const bool sameMesh = mesh_ && choice.parallel == layout_.parallel;
    apply(choice, layout_);
    if (!sameMesh) {
        mesh_.emplace(layout_);
        capacity_ = deviceCapacity(layout_, *mesh_);
    }
    const ScheduleShape shape = scheduleShape(layout_);
    const ScheduleMethod& method = *findScheduleMethod(choice.kind);
    StepEstimate estimate;
    estimate.capacityBytes = capacity_;

    const int period = 2 * shape.ranks;
    const int periods = std::max(fewestPeriods, wholeForwards / (stageCount(layout_) * period));
    ScheduleShape shorter = shape, longer = shape;
    shorter.microbatches = shape.microbatches % period + periods / 2 * period;
    longer.microbatches = shape.microbatches % period + periods * period;
    const bool continues = shape.microbatches > longer.microbatches && !refused(method, shorter) &&
                           !refused(method, longer);
    Measured whole;
    if (continues) {
        const Measured first = measure(shorter), second = measure(longer);
        const Line line{double(shorter.microbatches), double(longer.microbatches), double(shape.microbatches)};
        whole = {line(first.step, second.step), line(first.busy, second.busy), line(first.span, second.span), {}};
        for (std::size_t rank = 0; rank < first.memory.size(); ++rank)
            whole.memory.push_back(continued(line, first.memory[rank], second.memory[rank]));
        estimate.exact = false;
    } else {
        whole = measure(shape);
    }
    estimate.stepSeconds = whole.step;
    estimate.bubble = whole.span > 0 ? std::max(0.0, 1 - whole.busy / whole.span) : 0;
    estimate.worst = *std::ranges::max_element(whole.memory, {}, &RankMemory::peak);
    return estimate;
}

StepEstimator::Measured StepEstimator::measure(ScheduleShape shape) {
    const Schedule compute = findScheduleMethod(layout_.schedule.kind)->generate(shape);
    const Schedule lowered = lower(compute, lowerOptions(layout_));
    const Simulation step = simulateWithoutEvents(lowered, costsFor(lowered.rankOfStage));
    const double busy = std::accumulate(step.busySeconds.begin(), step.busySeconds.end(), 0.0) /
                        static_cast<double>(step.busySeconds.size());
    return {step.stepSeconds, busy, busy / (1 - step.bubble), replicaLedger(layout_, lowered)};
}

const StepCosts& StepEstimator::costsFor(const std::vector<int>& rankOfStage) {
    Choice choice = choiceOf(layout_);
    choice.kind.clear();
    choice.inFlight = 0;
    if (!costed_ || costed_->choice != choice || costed_->rankOfStage != rankOfStage)
        costed_ = {std::move(choice), rankOfStage,
                   stepCosts(layout_, *mesh_, rankOfStage, measurements_, costBasis(measurements_, layout_))};
    return costed_->costs;
}

}  // namespace shardlab
