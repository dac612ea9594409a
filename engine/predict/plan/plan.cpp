// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/plan.h"

#include "engine/base/device_time.h"
#include "engine/base/machine_memory.h"
#include "engine/layout/check/check.h"
#include "engine/layout/model_shape.h"
#include "engine/predict/plan/device_peak.h"
#include "engine/predict/plan/plan_notes.h"
#include "engine/predict/plan/plan_traffic.h"
#include "engine/predict/plan/server_costs.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>

namespace shardlab::predict {
namespace {

int mostRanksOnAHost(const Mesh& mesh) {
    std::vector<int> count;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const auto host = static_cast<std::size_t>(mesh.host(rank));
        if (count.size() <= host) count.resize(host + 1);
        ++count[host];
    }
    return *std::ranges::max_element(count);
}

/// The bubble of steps that follow each other without waiting: the share of a step in which a rank neither computes nor
/// updates.
double idleShare(const Schedule& lowered, const StepCosts& costs, double stepSeconds) {
    double busy = 0;
    for (const Action& action : lowered.ranks.front())
        if (isCompute(action.kind) || action.kind == ActionKind::OptimizerStep) busy += costs.seconds(action);
    const double shared = costs.cores > 0 ? costs.cores : 1;
    return std::max(0.0, 1 - busy / shared / stepSeconds);
}

std::int64_t capacityOf(const Layout& layout, const Mesh& mesh) {
    if (layout.cluster.pace) return modelledDevice(layout).memoryBytes;
    if (layout.cluster.device != DeviceKind::Cpu) {
        // Ranks that share a GPU share its memory.
        const int units = sharedUnits(layout).count;
        const int together = units > 0 ? (mesh.ranks() + units - 1) / units : 1;
        return modelledDevice(layout).memoryBytes / together;
    }
    return machineMemory() / mostRanksOnAHost(mesh);
}

}  // namespace

Simulation simulationOf(const StepPlan& plan) {
    Simulation simulation = simulate(plan.lowered, plan.costs, plan.mesh);
    const Exchange exchange = plan.layout.parallel.exchange;
    if (exchange != Exchange::AllReduce && exchange != Exchange::AsyncServer)
        simulation.events = withOwnParts(simulation.events, plan.layout, plan.mesh);
    return simulation;
}

Plan legalPlan(const Layout& layout, const Measurements& measurements, std::optional<double> stretch) {
    const ScheduleMethod& method = *findScheduleMethod(layout.schedule.kind);
    Plan plan{stepPlan(layout, measurements)};
    const double modelled = simulatedSeconds(plan.lowered, plan.costs);
    if (layout.cluster.pace) plan.costs.stretch = stretch.value_or(layout.cluster.pace->stepSeconds / modelled);
    plan.simulation = simulationOf(plan);
    const DeviceTime clock(plan.costs.stretch);
    plan.stepSeconds = clock.seconds(plan.simulation.stepSeconds);
    plan.tokensPerSecond = static_cast<double>(tokensPerStep(layout)) / plan.stepSeconds;
    plan.bubble = layout.parallel.exchange == Exchange::Hogwild
                      ? idleShare(plan.lowered, plan.costs, plan.simulation.stepSeconds)
                      : plan.simulation.bubble;
    plan.bubbleTheory = method.theoreticalBubble(scheduleShape(layout));
    plan.exposedCommunication = std::max(0.0, 1 - simulatedSeconds(plan.lowered, withoutCommunication(plan.costs)) /
                                                      plan.simulation.stepSeconds);

    plan.flopsPerStep = modelFlopsPerStep(layout);
    const DevicePeak peak = peakOf(layout, plan.mesh, measurements);
    if (knowsPeak(layout, measurements)) plan.peak = peak;
    plan.mfu = modelUtilisation(layout, peak, modelled);

    plan.parameters = modelParameters(layout.model);
    if (!method.flushes && stageCount(layout) > 1 && tiesEmbedding(layout.model))
        plan.parameters += tableParameters(layout.model);
    plan.memory = memoryLedger(layout, plan.lowered, plan.mesh);
    plan.device = memoryLimit(layout, plan.mesh);
    plan.fits = plan.device.holds(neededBytes(layout, neediest(layout, plan.memory)));
    plan.traffic = trafficOf(plan);
    for (const AxisTraffic& axis : plan.traffic) plan.sentBytes += axis.bytes;
    if (usesHost(layout.memory)) plan.hosts = hostTraffic(plan.simulation, plan.mesh);
    for (HostTraffic& copies : plan.hosts)
        for (double* seconds : {&copies.toHostSeconds, &copies.fromHostSeconds, &copies.exposedSeconds})
            *seconds = clock.seconds(*seconds);
    plan.notes = planNotes(plan);
    return plan;
}

MemoryLimit memoryLimit(const Layout& layout, const Mesh& mesh) {
    return memoryLimit(layout, capacityOf(layout, mesh));
}

std::int64_t neededBytes(const Layout& layout, const RankMemory& rank) {
    const bool oneMemory = !layout.cluster.pace && layout.cluster.device == DeviceKind::Cpu;
    return rank.peak + (oneMemory ? total(rank.host) : 0);
}

const RankMemory& neediest(const Layout& layout, const std::vector<RankMemory>& ranks) {
    return *std::ranges::max_element(ranks, {}, [&](const RankMemory& rank) { return neededBytes(layout, rank); });
}

tl::expected<Plan, std::vector<Fault>> makePlan(const Layout& layout, const Measurements& measurements,
                                                std::optional<double> stretch) {
    std::vector<Fault> faults = check(layout, scheduleMethods());
    if (!faults.empty()) return tl::unexpected(std::move(faults));
    return legalPlan(layout, measurements, stretch);
}

}  // namespace shardlab::predict
