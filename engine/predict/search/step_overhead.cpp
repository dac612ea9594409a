// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/step_overhead.h"

#include "engine/base/units.h"
#include "engine/layout/exchange.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/neighbours.h"
#include "engine/predict/search/step_estimate.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace shardlab::predict {
namespace {

constexpr double leastShare = 1e-3;
constexpr double leastGain = 1e-3;  ///< what a better layout saves at least

StepCosts withoutKernelStarts(const Plan& plan) {
    DevicePreset device = rankDevice(plan.layout, plan.mesh);
    device.kernelSeconds = 0;
    return stepCosts(plan.layout, plan.mesh, device, plan.compute.rankOfStage);
}

class Explanation {
public:
    explicit Explanation(const Plan& plan) : plan_(plan) {}

    std::vector<StepOverhead> overheads() {
        double seconds = plan_.stepSeconds;
        const auto takeOut = [&](StepOverheadKind kind, double without) {
            add(kind, seconds - without);
            seconds = std::min(seconds, without);
        };
        StepCosts costs = plan_.costs;
        costs.stretch = 1;
        costs.cores = 0;
        takeOut(StepOverheadKind::Overload, simulatedSeconds(plan_.lowered, costs));
        withOwnCores_ = costs;
        costs = withoutCommunication(costs);
        takeOut(StepOverheadKind::Communication, simulatedSeconds(plan_.lowered, costs));
        const Simulation equal = simulateWithoutEvents(plan_.lowered, withEqualStages(costs));
        takeOut(StepOverheadKind::Imbalance, equal.stepSeconds);
        // Equal stages keep all ranks busy equally long.
        const double busy = equal.busySeconds.front();
        if (costs.asyncWorkers == 0)
            add(StepOverheadKind::Bubble, busy / (1 - equal.bubble) - busy);  // else it is the server that idles
        const StepCosts once = withEqualStages(withoutRecompute(costs));
        const double useful = simulateWithoutEvents(plan_.lowered, once).busySeconds.front();
        add(StepOverheadKind::Recompute, busy - useful);
        // Measured times do not tell what of them is starting kernels.
        if (costBasis(plan_.measurements, plan_.layout).kind == CostBasis::Kind::Preset) {
            const StepCosts smooth =
                withEqualStages(withoutRecompute(withoutCommunication(withoutKernelStarts(plan_))));
            add(StepOverheadKind::Kernels, useful - simulateWithoutEvents(plan_.lowered, smooth).busySeconds.front());
        }
        std::ranges::stable_sort(overheads_, std::greater<>(), &StepOverhead::seconds);
        return std::move(overheads_);
    }

private:
    void add(StepOverheadKind kind, double seconds) {
        if (seconds < leastShare * plan_.stepSeconds) return;
        StepOverhead overhead{kind, seconds, seconds / plan_.stepSeconds, {}, {}};
        overhead.why = say("{} ({} of the step) {}", formatSeconds(seconds), formatPercent(overhead.share), why(kind));
        overheads_.push_back(std::move(overhead));
    }

    Sentence why(StepOverheadKind kind) const {
        switch (kind) {
        case StepOverheadKind::Overload:
            return say("is lost because {} ranks share {} {}: ranks that compute at the same time wait for each other",
                       plan_.mesh.ranks(), sharedUnits(plan_.layout).count, termOf(sharedUnits(plan_.layout).name));
        case StepOverheadKind::Communication: return communication();
        case StepOverheadKind::Imbalance: return imbalance();
        case StepOverheadKind::Kernels:
            return readsImages(plan_.layout.model)
                       ? say("goes into starting kernels: each image of a microbatch of {} has kernels of its own",
                             plan_.layout.batch.micro)
                       : say("goes into starting kernels: a microbatch of {} × {} tokens is little work for each of "
                             "them",
                             plan_.layout.batch.micro, plan_.layout.model.sequence);
        case StepOverheadKind::Recompute:
            return say("goes into computing activations again that were not kept, since recompute is {}",
                       wordOf(plan_.layout.memory.recompute));
        case StepOverheadKind::Bubble: break;
        }
        const ScheduleShape shape = scheduleShape(plan_.layout);
        return say(
            "is bubble: each rank is idle while {} fills and drains {} ranks with {}, which takes {} of the time "
            "between the first forward and the last backward even if all else were perfect",
            plan_.layout.schedule.kind, shape.ranks,
            shape.microbatches == 1 ? say("1 microbatch") : say("{} microbatches", shape.microbatches),
            formatPercent(plan_.bubbleTheory));
    }

    static void free(std::vector<DataPiece>& pieces) {
        for (DataPiece& piece : pieces) piece.seconds = 0;
    }

    /// What alone would save most if it took no time.
    Sentence communication() const {
        struct Part {
            void (*take)(StageCosts&);  ///< out of a stage's costs; null: what layers exchange inside actions
            Sentence what;
        };
        const Mesh& mesh = plan_.mesh;
        const int replicas = replicasOfCopy(plan_.layout.parallel);
        const int context = mesh.size(Axis::Context);
        const std::array parts{
            Part{[](StageCosts& cost) { cost.send = 0; },
                 say("activations and their gradients between {} pipeline ranks", mesh.size(Axis::Pipeline))},
            Part{[](StageCosts& cost) {
                     cost.reduce = 0;
                     free(cost.data.reduce);
                 },
                 plan_.layout.parallel.zero > 0 ? say("scattering gradients over {} replicas", replicas)
                                                : say("averaging gradients over {} replicas", replicas)},
            Part{[](StageCosts& cost) {
                     for (auto* list : {&cost.data.gatherForward, &cost.data.gatherBackward, &cost.data.gatherUpdated})
                         free(*list);
                 },
                 say("gathering parameters from {} replicas", replicas)},
            Part{[](StageCosts& cost) { free(cost.data.parts); }, say("gradients between {} copies", mesh.copies())},
            Part{[](StageCosts& cost) { cost.tied = 0; },
                 say("the tied embedding's gradient between first and last stage")},
            Part{[](StageCosts& cost) { cost.norm = 0; }, say("the gradient norm")},
            Part{[](StageCosts& cost) { cost.push = cost.pull = 0; },
                 plan_.layout.parallel.exchange == Exchange::Hogwild
                     ? say("reading the weights out of shared memory")
                     : say("gradients to the server and weights from it")},
            Part{[](StageCosts& cost) { cost.elastic = 0; }, say("the exchange with the centre")},
            Part{[](StageCosts& cost) {
                     cost.offload = cost.reload = 0;
                     free(cost.data.fetchForward);
                     free(cost.data.fetchBackward);
                 },
                 say("gradients to the host and weights from it")},
            Part{[](StageCosts& cost) { cost.swap = 0; }, say("activations to the host and back")},
            Part{nullptr, exchangeMembers(plan_.layout) > 1
                              ? say("tokens on their way to their experts and back over {} expert ranks",
                                    exchangeMembers(plan_.layout))
                          : mesh.size(Axis::Tensor) == 1 && context > 1
                              ? say("the keys and values of every layer on their way round {} context ranks", context)
                              : say("the collectives of every layer over {} tensor ranks", mesh.size(Axis::Tensor))},
        };
        const Part* most = nullptr;
        double saved = 0;
        for (const Part& part : parts) {
            StepCosts costs = withOwnCores_;
            if (!part.take) costs = withoutTensorCollectives(std::move(costs));
            else
                for (StageCosts& stage : costs.stages) part.take(stage);
            const double gain = simulatedSeconds(plan_.lowered, withOwnCores_) - simulatedSeconds(plan_.lowered, costs);
            if (most && gain <= saved) continue;
            most = &part;
            saved = gain;
        }
        return say("is communication that no computation hides; the largest part, {}, is {}", formatSeconds(saved),
                   most->what);
    }

    Sentence imbalance() const {
        const auto& stages = plan_.costs.stages;
        const auto slowest = std::ranges::max_element(stages, {}, &StageCosts::forward);
        double sum = 0;
        for (const StageCosts& stage : stages) sum += stage.forward;
        return say("is waiting for slower stages: stage {} takes {:.2f} × the mean of all {}", slowest - stages.begin(),
                   slowest->forward * static_cast<double>(stages.size()) / sum, stages.size());
    }

    const Plan& plan_;
    StepCosts withOwnCores_;
    std::vector<StepOverhead> overheads_;
};

/// The moves that change what an overhead comes from.
std::set<Move> remedies(StepOverheadKind kind) {
    switch (kind) {
    case StepOverheadKind::Overload: return {Move::Degrees, Move::Microbatch};
    case StepOverheadKind::Communication: return {Move::Microbatch, Move::Schedule, Move::Degrees};
    case StepOverheadKind::Imbalance: return {Move::Stages, Move::Degrees};
    case StepOverheadKind::Kernels: return {Move::Microbatch, Move::Degrees};
    case StepOverheadKind::Recompute: return {Move::Recompute};
    case StepOverheadKind::Bubble: return {Move::Microbatch, Move::Schedule, Move::Degrees};
    }
    return {};
}

struct Tried {
    Neighbour neighbour;
    double stepSeconds = 0;
    bool exact = true;  ///< false where it was estimated from two shorter steps
};

/// The time that the neighbour's own plan tells.
double plannedSeconds(const Plan& plan, const Tried& tried) {
    if (tried.exact) return tried.stepSeconds;
    Layout layout = plan.layout;
    apply(tried.neighbour.choice, layout);
    const auto planned = makePlan(layout, plan.measurements);
    return planned ? planned->stepSeconds : tried.stepSeconds;
}

/// The neighbours that are faster and fit, fastest first.
std::vector<Tried> fasterNeighbours(const Plan& plan) {
    std::vector<Tried> tried;
    StepEstimator estimator(plan.layout, plan.measurements);
    for (Neighbour& neighbour : neighbours(plan.layout, plan.measurements)) {
        const StepEstimate estimate = estimator.estimate(neighbour.choice);
        const double seconds = estimate.stepSeconds;
        if (seconds > (1 - leastGain) * plan.stepSeconds) continue;
        if (plan.fits && !estimate.memory.fits()) continue;
        tried.push_back({std::move(neighbour), seconds, estimate.exact});
    }
    std::ranges::stable_sort(tried, {}, &Tried::stepSeconds);
    return tried;
}

}  // namespace

std::string_view name(StepOverheadKind kind) {
    constexpr std::array<std::string_view, 6> names{
        "overload of cores", "exposed communication", "imbalance between stages", "bubble",
        "recomputation",     "small kernels"};
    return names[static_cast<std::size_t>(kind)];
}

std::vector<StepOverhead> largestOverheads(const Plan& plan, std::size_t most) {
    std::vector<StepOverhead> overheads = Explanation(plan).overheads();
    if (overheads.size() > most) overheads.resize(most);
    if (overheads.empty()) return overheads;
    const std::vector<Tried> faster = fasterNeighbours(plan);
    std::set<Move> told;
    for (StepOverhead& overhead : overheads) {
        const std::set<Move> moves = remedies(overhead.kind);
        const auto best = std::ranges::find_if(faster, [&](const Tried& tried) {
            return moves.contains(tried.neighbour.move) && !told.contains(tried.neighbour.move);
        });
        if (best == faster.end()) continue;
        const double seconds = plannedSeconds(plan, *best);
        if (seconds >= plan.stepSeconds) continue;
        overhead.better =
            BetterLayout{best->neighbour.choice, best->neighbour.change, seconds, 1 - seconds / plan.stepSeconds};
        told.insert(best->neighbour.move);
    }
    return overheads;
}

Sentence toText(const BetterLayout& better) {
    return say("{}: a step would take {}, {} less", better.change, formatSeconds(better.stepSeconds),
               formatPercent(better.gain));
}

}  // namespace shardlab::predict
