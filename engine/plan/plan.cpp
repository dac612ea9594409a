// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plan.h"

#include "engine/base/units.h"
#include "engine/layout/check.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/plan/precision_notes.h"
#include "engine/schedule/passes.h"
#include "engine/schedule/registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace shardlab {
namespace {

std::int64_t hostMemory() { return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE); }

int mostRanksOnAHost(const Mesh& mesh) {
    std::vector<int> count;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const auto host = static_cast<std::size_t>(mesh.host(rank));
        if (count.size() <= host) count.resize(host + 1);
        ++count[host];
    }
    return *std::ranges::max_element(count);
}

/// Bytes that all members of all rings together send: 2(n−1)/n of the buffer each, n members.
std::int64_t ringBytes(std::int64_t buffer, int members) { return 2 * (members - 1) * buffer; }

std::vector<AxisTraffic> trafficOf(const Plan& plan) {
    const int d = plan.mesh.size(Axis::Data);
    const int t = plan.mesh.size(Axis::Tensor);
    const int ofReplica = plan.mesh.size(Axis::Pipeline) * t;
    std::int64_t messages = 0, gradients = 0, scattered = 0, gathered = 0, tied = 0, norms = 0, sums = 0, splits = 0;
    for (const auto& actions : plan.lowered.ranks)
        for (const Action& action : actions) {
            const std::int64_t bytes = plan.costs.bytes(action);
            if (isSend(action.kind)) messages += bytes * d * t;
            if (action.kind == ActionKind::ReduceGradients || action.kind == ActionKind::ReduceBuckets)
                gradients += ringBytes(bytes, d) * t;
            if (action.kind == ActionKind::ScatterGradients) scattered += ringBytes(bytes, d) / 2 * t;
            if (eventKind(action.kind) == EventKind::GatherParameters) gathered += ringBytes(bytes, d) / 2 * t;
            // Each of the two ends counts its half.
            if (action.kind == ActionKind::ReduceTied) tied += ringBytes(bytes, 2) / 2 * d * t;
            if (action.kind == ActionKind::ReduceNorm && ofReplica > 1) norms += ringBytes(bytes, ofReplica) / ofReplica * d * t;
            for (const TensorSpan& span : plan.costs.tensorSpans(action)) {
                const std::int64_t ring = ringBytes(span.bytes, t) * d;
                (span.kind == EventKind::TensorAllReduce ? sums : splits) +=
                    span.kind == EventKind::TensorAllReduce ? ring : ring / 2;
            }
        }
    std::vector<AxisTraffic> traffic;
    const auto add = [&](Axis axis, const char* what, std::int64_t bytes, std::string how = {}) {
        if (bytes > 0) traffic.push_back({axis, what, bytes, std::move(how)});
    };
    const auto& stages = plan.costs.stages;
    const auto slowest = std::ranges::max_element(stages, {}, &StageCosts::reduce);
    add(Axis::Pipeline, "activations and their gradients, send", messages);
    add(Axis::Pipeline, "tied embedding's gradient, all-reduce", tied);
    add(plan.mesh.size(Axis::Pipeline) > 1 ? Axis::Pipeline : Axis::Tensor, "gradient norm, all-reduce", norms,
        std::string(name(stages.front().normAlgorithm)));
    add(Axis::Data, "gradients, all-reduce", gradients,
        fmt::format("{}, {} on the slowest stage", name(slowest->reduceAlgorithm),
                    formatSeconds(slowest->reduce * plan.costs.stretch)));
    add(Axis::Data, "gradients, reduce-scatter", scattered);
    add(Axis::Data, "parameters, all-gather", gathered);
    add(Axis::Tensor, "activations and their gradients, all-reduce", sums);
    add(Axis::Tensor, "activations and their gradients, reduce-scatter and all-gather", splits);
    return traffic;
}

/// ZeRO 3: of weights that a rank has gathered at one time, on the rank with most.
std::int64_t gatheredBytes(const Layout& layout, const MemorySpec& memory) {
    std::int64_t most = 0;
    for (const StageShape& shape : stageShapes(layout)) {
        const std::vector<FlatUnit> units = stageUnits(layout.model, layout.parallel, shape, tensorShare(layout));
        most = std::max(most, gatherRoom(units, layerSegments(layout.model, memory, shape), shape.first) +
                                  slotSizes(units).staying);
    }
    return most * numberFormats(layout.precision).weightBytes();
}

void addNotes(Plan& plan, const CostBasis& basis) {
    const Layout& layout = plan.layout;
    std::vector<std::string>& notes = plan.notes;
    if (layout.cluster.pace)
        notes.push_back(fmt::format("paced: the time of {} is stretched ×{}, so that a step lasts {}",
                                    modelledDevice(layout).title, formatCount(plan.costs.stretch),
                                    formatSeconds(plan.stepSeconds)));
    else if (std::string note = basisNote(basis, layout); !note.empty())
        notes.push_back(std::move(note));
    if (plan.costs.cores > 0)
        notes.push_back(fmt::format("{} ranks share the {} {} of this machine: those that compute at one time get "
                                    "equal shares", plan.mesh.ranks(), sharedUnits(layout).count, sharedUnits(layout).name));
    for (std::string& note : precisionNotes(layout.precision)) notes.push_back(std::move(note));

    const auto again = [](const StageCosts& cost) { return cost.recompute / cost.backward; };
    if (const auto most = std::ranges::max_element(plan.costs.stages, {}, again); most->recompute > 0)
        notes.push_back(fmt::format("recompute {}: up to {} of a backward computes activations again",
                                    layout.memory.recompute, formatPercent(again(*most))));
    for (const std::vector<int>& group : plan.mesh.groups(Axis::Tensor))
        if (plan.mesh.host(group.front()) != plan.mesh.host(group.back())) {
            notes.push_back("tensor groups reach over hosts: the collectives of every layer cross the network");
            break;
        }
    const auto byForward = [](const StageCosts& a, const StageCosts& b) { return a.forward < b.forward; };
    const auto [fastest, slowest] = std::ranges::minmax_element(plan.costs.stages, byForward);
    if (slowest->forward > 1.05 * fastest->forward)
        notes.push_back(fmt::format("stage {} takes {:.2f} × the time of stage {}: unequal stages add to the bubble",
                                    slowest - plan.costs.stages.begin(), slowest->forward / fastest->forward,
                                    fastest - plan.costs.stages.begin()));
    if (!plan.lowered.flushes()) {
        notes.push_back("asynchronous: steps follow each other without a flush, and gradients are those of earlier weights; "
                        "the step is one between fill and drain");
        if (plan.lowered.stages() > 1)
            notes.push_back("the output projection is a weight of its own: its two ends could share the token embedding "
                            "only by waiting for each other");
    }
    const int m = plan.lowered.microbatches;
    if (layout.parallel.zero == 2 && m > 1)
        notes.push_back(fmt::format("ZeRO 2 scatters the gradients of each of {} microbatches: {} × the traffic of one "
                                    "reduction a step, which ZeRO 1 has",
                                    m, m));
    if (layout.parallel.zero == 3 && (m > 1 || layout.parallel.pipeline > 1))
        notes.push_back(fmt::format("ZeRO 3 gathers every layer for each forward and each backward of {} microbatch{}: "
                                    "its traffic is {} × the parameters a step, that of ZeRO 1 is 2 ×",
                                    m, m == 1 ? "" : "es", 3 * m));
    if (layout.parallel.zero == 3 && !recomputeSegments(layout.memory, 1).empty())
        notes.push_back(fmt::format("recompute {} with ZeRO 3: a segment's weights are gathered once and kept from its "
                                    "second forward to its backward: no more traffic, and up to {} of gathered weights "
                                    "on a rank instead of {}",
                                    layout.memory.recompute, formatBytes(gatheredBytes(layout, layout.memory)),
                                    formatBytes(gatheredBytes(layout, {}))));
    if (layout.run.maxRestarts > 0 && layout.checkpoint.every == 0)
        notes.push_back("restarts go on from the last checkpoint, and with checkpoint.every 0 none is made by itself");
    if (!plan.fits)
        notes.push_back(
            fmt::format("memory: a rank needs more than the {} of its device", formatBytes(plan.capacityBytes)));
    if (layout.cluster.device == "cpu") {
        std::int64_t sum = 0;
        for (const RankMemory& rank : plan.memory) sum += rank.peak;
        if (layout.cluster.hosts.size() == 1 && sum > hostMemory())
            notes.push_back(fmt::format("memory: all ranks together need {}, this machine has {}", formatBytes(sum),
                                        formatBytes(hostMemory())));
    }
}

Plan planOf(const Layout& layout, const Measurements& measurements) {
    const ScheduleMethod& method = *findScheduleMethod(layout.schedule.kind);
    const ScheduleShape shape = scheduleShape(layout);
    Plan plan{.layout = layout, .measurements = measurements, .mesh = Mesh(layout)};
    const DevicePreset device = rankDevice(layout, plan.mesh, measurements);
    plan.compute = method.generate(shape);
    plan.lowered = lower(plan.compute, lowerOptions(layout));
    const CostBasis basis = costBasis(measurements, layout);
    plan.costs = stepCosts(layout, plan.mesh, plan.compute.rankOfStage, measurements, basis);
    const double modelled = simulatedSeconds(plan.lowered, plan.costs);
    if (layout.cluster.pace) plan.costs.stretch = layout.cluster.pace->stepSeconds / modelled;
    plan.simulation = simulate(plan.lowered, plan.costs, plan.mesh);
    plan.stepSeconds = plan.simulation.stepSeconds;
    plan.tokensPerSecond = static_cast<double>(tokensPerStep(layout)) / plan.stepSeconds;
    plan.bubble = plan.simulation.bubble;
    plan.bubbleTheory = method.theoreticalBubble(shape);
    plan.exposedCommunication =
        std::max(0.0, 1 - simulatedSeconds(plan.lowered, withoutCommunication(plan.costs)) / plan.stepSeconds);

    // A backward is two forwards.
    for (const StageShape& stage : stageShapes(layout))
        plan.flopsPerStep += 3 * stageForwardFlops(layout.model, stage, layout.batch.micro);
    plan.flopsPerStep *= double(shape.microbatches) * plan.mesh.size(Axis::Data);
    plan.mfu = plan.flopsPerStep / (modelled * device.flops(numberFormats(layout.precision).activations) * plan.mesh.ranks());

    plan.parameters = modelParameters(layout.model);
    if (!method.flushes && stageCount(layout) > 1) plan.parameters += tiedParameters(layout.model);
    plan.memory = memoryLedger(layout, plan.lowered, plan.mesh);
    plan.capacityBytes = deviceCapacity(layout, plan.mesh);
    plan.fits =
        std::ranges::all_of(plan.memory, [&](const RankMemory& rank) { return rank.peak <= plan.capacityBytes; });
    plan.traffic = trafficOf(plan);
    addNotes(plan, basis);
    return plan;
}

}  // namespace

std::int64_t deviceCapacity(const Layout& layout, const Mesh& mesh) {
    if (layout.cluster.pace) return modelledDevice(layout).memoryBytes;
    if (layout.cluster.device != "cpu") {
        // Ranks that share a GPU share its memory.
        const int units = sharedUnits(layout).count;
        const int together = units > 0 ? (mesh.ranks() + units - 1) / units : 1;
        return modelledDevice(layout).memoryBytes / together;
    }
    return hostMemory() / mostRanksOnAHost(mesh);
}

tl::expected<Plan, std::vector<Fault>> makePlan(const Layout& layout, const Measurements& measurements) {
    std::vector<Fault> faults = check(layout, scheduleMethods());
    if (!faults.empty()) return tl::unexpected(std::move(faults));
    return planOf(layout, measurements);
}

}  // namespace shardlab
