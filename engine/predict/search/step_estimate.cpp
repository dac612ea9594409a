// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/step_estimate.h"

#include "engine/predict/plan/model_state.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/simulate.h"
#include "engine/predict/plan/stack_memory.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace shardlab::predict {
namespace {

constexpr int wholeForwards = 2048;  ///< of one replica: about what is simulated of a step
constexpr int fewestPeriods = 2;

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

Line lineOf(const ScheduleShape& shorter, const ScheduleShape& longer, const ScheduleShape& whole) {
    return {double(shorter.microbatches), double(longer.microbatches), double(whole.microbatches)};
}

Choice withoutSchedule(Choice choice) {
    choice.kind.clear();
    choice.inFlight = 0;
    return choice;
}

RankMemory continued(const Line& line, const RankMemory& first, const RankMemory& second) {
    RankMemory memory = second;
    for (std::size_t i = 0; i < memory.bytes.size(); ++i) memory.bytes[i] = line(first.bytes[i], second.bytes[i]);
    memory.peak = line(first.peak, second.peak);
    memory.microbatchesInFlight =
        static_cast<int>(line(std::int64_t{first.microbatchesInFlight}, std::int64_t{second.microbatchesInFlight}));
    return memory;
}

}  // namespace

void StepEstimator::turnTo(const Choice& choice) {
    const bool sameMesh = mesh_ && degrees(choice.parallel) == degrees(layout_.parallel);
    apply(choice, layout_);
    if (sameMesh) return;
    mesh_.emplace(layout_);
    groups_.emplace(*mesh_);
    device_ = memoryLimit(layout_, *mesh_);
    peak_ = peakOf(layout_, *mesh_, measurements_);
}

StepEstimator::Extent StepEstimator::extent() const {
    Extent extent;
    const ScheduleShape& shape = extent.whole = extent.shorter = extent.longer = scheduleShape(layout_);
    const ScheduleMethod& method = *findScheduleMethod(layout_.schedule.kind);
    const int period = 2 * shape.ranks;
    const int periods = std::max(fewestPeriods, wholeForwards / (stageCount(layout_) * period));
    extent.shorter.microbatches = shape.microbatches % period + periods / 2 * period;
    extent.longer.microbatches = shape.microbatches % period + periods * period;
    extent.continues = shape.microbatches > extent.longer.microbatches && !refused(method, extent.shorter) &&
                       !refused(method, extent.longer);
    return extent;
}

MemoryEstimate StepEstimator::memory(const Choice& choice) {
    turnTo(choice);
    const Extent extent = this->extent();
    const Schedule& lowered = loweredFor(extent.continues ? extent.shorter : extent.whole, {});
    std::vector<RankMemory> memory = heldAndMoved(replicaHeld(stageKinds(choice), lowered), moves(choice, extent));
    for (RankMemory& rank : memory) {
        if (!offloadsOptimizer(layout_.memory)) break;
        const MemoryBytes offloaded = hostBytes(layout_, lowered.stagesOf(rank.rank), tensorShare(layout_), -1);
        for (std::size_t i = 0; i < offloaded.size(); ++i) rank.host[i] += offloaded[i];
    }
    const RankMemory& worst = neediest(layout_, memory);
    MemoryEstimate estimate{worst, neededBytes(layout_, worst), device_};
    if (const SoftwareStack* stack = modelledStack(layout_)) {
        const std::int64_t room = device_.capacityBytes - std::llround(stack->contextBytes);
        estimate.reservedBytes = reservedBytes(*stack, worst, room);
        estimate.firstReservedBytes = reservedBytes(*stack, memory.front(), room);
    }
    return estimate;
}

const std::vector<RankMemory>& StepEstimator::moves(const Choice& choice, const Extent& extent) {
    Choice plain = choice;
    plain.parallel.zero = 0;
    const auto known = std::ranges::find(moves_, plain, &Moves::choice);
    if (known != moves_.end()) return known->memory;
    // Choices come by work: those of another are not asked for again.
    if (!moves_.empty() && !sameWork(moves_.front().choice, plain)) moves_.clear();
    StageKinds& kinds = stageKinds(choice);
    std::vector<RankMemory> memory =
        replicaMoves(kinds, loweredFor(extent.continues ? extent.shorter : extent.whole, {}));
    if (extent.continues) {
        const std::vector<RankMemory> second = replicaMoves(kinds, loweredFor(extent.longer, {}));
        const Line line = lineOf(extent.shorter, extent.longer, extent.whole);
        for (std::size_t rank = 0; rank < memory.size(); ++rank)
            memory[rank] = continued(line, memory[rank], second[rank]);
    }
    return moves_.emplace_back(std::move(plain), std::move(memory)).memory;
}

StageKinds& StepEstimator::stageKinds(const Choice& choice) {
    Choice stages = withoutSchedule(choice);
    if (!stages_ || stages_->choice != stages) stages_.emplace(std::move(stages), StageKinds(layout_));
    return stages_->kinds;
}

StepEstimate StepEstimator::estimate(const Choice& choice) { return estimate(choice, memory(choice)); }

StepEstimate StepEstimator::estimate(const Choice& choice, const MemoryEstimate& memory) {
    turnTo(choice);
    const Extent extent = this->extent();
    StepEstimate estimate;
    estimate.memory = memory;
    estimate.exact = !extent.continues;
    Measured whole;
    if (extent.continues) {
        const Measured first = measure(extent.shorter), second = measure(extent.longer);
        const Line line = lineOf(extent.shorter, extent.longer, extent.whole);
        whole = {line(first.step, second.step), line(first.busy, second.busy), line(first.span, second.span)};
    } else {
        whole = measure(extent.whole);
    }
    estimate.stepSeconds = whole.step;
    estimate.mfu = costed_->modelFlops / (whole.step * peak_.flops);
    estimate.bubble = whole.span > 0 ? std::max(0.0, 1 - whole.busy / whole.span) : 0;
    return estimate;
}

StepEstimator::Measured StepEstimator::measure(const ScheduleShape& shape) {
    const Schedule& lowered = loweredFor(shape, lowerOptions(layout_));
    const Simulation step = simulateWithoutEvents(lowered, costsFor(lowered.rankOfStage));
    const double busy = std::accumulate(step.busySeconds.begin(), step.busySeconds.end(), 0.0) /
                        static_cast<double>(step.busySeconds.size());
    return {step.stepSeconds, busy, busy / (1 - step.bubble)};
}

const Schedule& StepEstimator::loweredFor(const ScheduleShape& shape, const LowerOptions& options) {
    // What is recomputed, and how tokens are split, changes no order.
    const std::array of{shape.ranks, shape.chunks, microbatches(layout_)};
    if (lists_.of != of) lists_ = {of, {}, {}};
    const Lists::Key key{layout_.schedule.kind, shape.microbatches, shape.inFlight};
    const auto [entry, added] = lists_.lowered.try_emplace(
        {key, std::array{options.dataParallel, options.tiedEmbedding, options.norm, options.buckets, options.copies},
         options.zero});
    if (!added) return entry->second;
    const auto [transferred, first] = lists_.transferred.try_emplace(key);
    if (first) transferred->second = addTransfers(findScheduleMethod(layout_.schedule.kind)->generate(shape));
    return entry->second = lowerTransfers(transferred->second, options);
}

const StepCosts& StepEstimator::costsFor(const std::vector<int>& rankOfStage) {
    Choice choice = withoutSchedule(choiceOf(layout_));
    if (!costed_ || costed_->choice != choice || costed_->rankOfStage != rankOfStage)
        costed_ = {std::move(choice), rankOfStage,
                   stepCosts(layout_, *groups_, rankOfStage, measurements_, costBasis(measurements_, layout_)),
                   modelFlopsPerStep(layout_)};
    return costed_->costs;
}

}  // namespace shardlab::predict
