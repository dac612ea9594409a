// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/plan.h"

#include "engine/base/device_time.h"
#include "engine/base/units.h"
#include "engine/layout/check/check.h"
#include "engine/layout/check/elastic_sizes.h"
#include "engine/layout/coded_exchange.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/layout/stacks.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/predict/plan/accelerators.h"
#include "engine/predict/plan/async_server.h"
#include "engine/predict/plan/device_peak.h"
#include "engine/predict/plan/expert_notes.h"
#include "engine/predict/plan/fp8_costs.h"
#include "engine/predict/plan/precision_notes.h"
#include "engine/predict/plan/server_costs.h"
#include "engine/predict/plan/state_notes.h"
#include "engine/predict/plan/tensor_notes.h"
#include "engine/predict/plan/stack_memory.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unistd.h>

namespace shardlab::predict {
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

Sentence serverText(const StepCosts& costs, double StageCosts::*seconds) {
    const double slowest = std::ranges::max(costs.stages, {}, seconds).*seconds;
    return say("over the server's link, {} on the slowest stage", formatSeconds(slowest));
}

std::vector<AxisTraffic> trafficOf(const Plan& plan) {
    const int d = replicaCount(plan.layout.parallel);
    const int t = plan.mesh.size(Axis::Tensor);
    const int ofReplica = plan.mesh.size(Axis::Pipeline) * t;
    const int updating = updatesAtServer(plan.layout.parallel) ? 1 : d;  // replicas
    std::int64_t messages = 0, gradients = 0, scattered = 0, gathered = 0, pushed = 0, pulled = 0, elastic = 0;
    std::int64_t tied = 0, norms = 0, hops = 0, heads = 0, sums = 0, splits = 0, updates = 0, rows = 0, ofExperts = 0;
    std::int64_t scatteredExperts = 0, gatheredExperts = 0, summedParts = 0;
    const int e = expertSpread(plan.layout.parallel), among = exchangeMembers(plan.layout), copies = plan.mesh.copies(),
              ofCopy = d / copies;
    for (const auto& actions : plan.lowered.ranks)
        for (const Action& action : actions) {
            const std::int64_t bytes = plan.costs.bytes(action);
            if (isSend(action.kind)) messages += bytes * d * t;
            if (action.kind == ActionKind::ReduceGradients) gradients += ringBytes(bytes, d) * t;
            if (action.kind == ActionKind::ReduceBuckets)
                for (const DataPiece& piece : plan.costs.stages[static_cast<std::size_t>(action.stage)].data.reduce)
                    (piece.experts ? ofExperts : gradients) +=
                        (piece.experts ? ringBytes(piece.bytes, d / e) * e : ringBytes(piece.bytes, d)) * t;
            if (action.kind == ActionKind::ReduceParts)  // the parts of a piece are the whole piece
                for (const DataPiece& piece : plan.costs.stages[static_cast<std::size_t>(action.stage)].data.reduce)
                    summedParts += ringBytes(piece.bytes, copies) * (piece.experts ? e : 1) * t;
            const bool scatters = action.kind == ActionKind::ScatterGradients;
            if (scatters || eventKind(action.kind) == EventKind::GatherParameters)
                for (const DataPiece& piece :
                     plan.costs.stages[static_cast<std::size_t>(action.stage)].data.pieces(action.kind))
                    (piece.experts ? (scatters ? scatteredExperts : gatheredExperts)
                     : scatters    ? scattered
                                   : gathered) +=
                        (piece.experts ? ringBytes(piece.bytes, ofCopy / e) * e : ringBytes(piece.bytes, ofCopy)) / 2 *
                        copies * t;
            if (action.kind == ActionKind::PushGradients) pushed += (d - 1) * bytes * t;
            if (action.kind == ActionKind::ExchangeElastic) elastic += 2 * bytes * t;
            if (action.kind == ActionKind::PullWeights && plan.layout.parallel.exchange != Exchange::Hogwild)
                pulled += (d - 1) * bytes * t;
            // Each of the two ends counts its half.
            if (action.kind == ActionKind::ReduceTied) tied += ringBytes(bytes, 2) / 2 * updating * t;
            if (action.kind == ActionKind::ReduceNorm && ofReplica > 1)
                norms += ringBytes(bytes, ofReplica) / ofReplica * updating * t;
            for (const TensorSpan& span : plan.costs.tensorSpans(action)) {
                std::int64_t ofHeads = 0;  // each member sends one, of each of its tensor parts
                for (int part = 0; part < t; ++part) ofHeads += plan.costs.ofTensorMember(span.bytes, part);
                if (span.kind == EventKind::KeyValueHop) {
                    hops += ofHeads * d;
                    continue;
                }
                if (span.kind == EventKind::ExchangeHeads) {  // all but its own block
                    const int members = plan.mesh.size(Axis::Context);
                    heads += ofHeads / members * (members - 1) * d;
                    continue;
                }
                if (isExpertExchange(span.kind)) {  // all but its own block
                    rows += span.bytes / among * (among - 1) * d * t;
                    continue;
                }
                const std::int64_t ring = ringBytes(span.bytes, t) * d;
                if (action.kind == ActionKind::OptimizerStep) {
                    updates += ring / d * updating;
                    continue;
                }
                (span.kind == EventKind::TensorAllReduce ? sums : splits) +=
                    span.kind == EventKind::TensorAllReduce ? ring : ring / 2;
            }
        }
    std::vector<AxisTraffic> traffic;
    const auto add = [&](Axis axis, const Sentence& what, std::int64_t bytes, Sentence how = {}) {
        if (bytes > 0) traffic.push_back({axis, what, bytes, std::move(how)});
    };
    const auto& stages = plan.costs.stages;
    const auto slowest = std::ranges::max_element(stages, {}, &StageCosts::reduce);
    add(Axis::Pipeline, say("activations and their gradients, send"), messages);
    add(Axis::Pipeline, say("tied embedding's gradient, all-reduce"), tied);
    add(plan.mesh.size(Axis::Pipeline) > 1 ? Axis::Pipeline : Axis::Tensor, say("gradient norm, all-reduce"), norms,
        termOf(name(stages.front().normAlgorithm)));
    const bool rings = plan.mesh.size(Axis::Context) > 1;  // whose members are replicas too
    add(Axis::Data, rings ? say("gradients over data × context, all-reduce") : say("gradients, all-reduce"), gradients,
        say("{}, {} on the slowest stage",
            codesExchange(plan.layout) ? say("in {}, all-to-all and all-gather", wordOf(plan.layout.precision.exchange))
                                       : termOf(name(slowest->reduceAlgorithm)),
            formatSeconds(slowest->reduce)));
    const bool hybrid = copies > 1;
    const Axis within = hybrid ? Axis::Shard : Axis::Data;
    const Sentence sharers = hybrid ? say("within each of {} copies over {} ranks", copies, ofCopy) : "";
    add(within,
        hybrid  ? say("gradients within a copy, reduce-scatter")
        : rings ? say("gradients over data × context, reduce-scatter")
                : say("gradients, reduce-scatter"),
        scattered, sharers);
    add(within,
        hybrid  ? say("parameters within a copy, all-gather")
        : rings ? say("parameters over data × context, all-gather")
                : say("parameters, all-gather"),
        gathered, sharers);
    add(Axis::Data, say("gradients between copies, all-reduce"), summedParts,
        copies > 2 ? say("each rank its part, with its likes in {} other copies", copies - 1)
                   : say("each rank its part, with its like in 1 other copy"));
    const Sentence holders = ofCopy / e == 1 ? say("1 rank with the same") : say("{} ranks with the same", ofCopy / e);
    add(Axis::Data, say("gradients of experts, between the ranks that hold the same, all-reduce"), ofExperts, holders);
    add(within, say("gradients of experts, between the ranks that hold the same, reduce-scatter"), scatteredExperts,
        holders);
    add(within, say("parameters of experts, between the ranks that hold the same, all-gather"), gatheredExperts,
        holders);
    add(Axis::Expert, say("tokens to their experts and back, and their gradients, all-to-all"), rows,
        say("{} ranks with {} of {} experts each", among,
            plan.layout.model.experts.count / plan.mesh.size(Axis::Expert), plan.layout.model.experts.count));
    add(Axis::Context, say("keys and values and their gradients, ring"), hops);
    add(Axis::Context, say("queries, keys, values and outputs and their gradients, all-to-all"), heads);
    add(Axis::Data, say("weights, between a replica and the centre"), elastic,
        say("in all steps but one of {}, in which replica 0 has its turn", d));
    add(Axis::Data, say("gradients, to the server"), pushed, serverText(plan.costs, &StageCosts::push));
    add(Axis::Data, say("weights, from the server"), pulled, serverText(plan.costs, &StageCosts::pull));
    add(Axis::Tensor, say("activations and their gradients, all-reduce"), sums);
    add(Axis::Tensor,
        plan.layout.parallel.sequence ? say("activations and their gradients, reduce-scatter and all-gather")
                                      : say("inputs of segments that are computed again, all-gather"),
        splits);
    add(Axis::Tensor, say("optimizer's rows and columns, all-reduce"), updates);
    return traffic;
}

/// ZeRO 3: of weights that a rank has gathered at one time, on the rank with most.
std::int64_t gatheredBytes(const Layout& layout, const MemorySpec& memory) {
    std::int64_t most = 0;
    for (const StageShape& shape : stageShapes(layout)) {
        const std::vector<FlatUnit> units = stageUnits(layout.model, layout.parallel, shape, tensorShare(layout));
        most =
            std::max(most, gatherRoom(units, layerSegments(layout.model, memory, shape), embeds(layout.model, shape)) +
                               slotSizes(units).staying);
    }
    return most * numberFormats(layout.precision).weightBytes();
}

Sentence pacedNote(const Plan& plan) {
    const Sentence slowed = DeviceTime(plan.costs.stretch).text(plan.stepSeconds),
                   device = termOf(modelledDevice(plan.layout).title);
    return slowed.empty() ? say("times are those of {}", device) : say("{}; times are those of {}", slowed, device);
}

/// Where the ranks of a copy lie, and what it costs that there are several.
Sentence copiesNote(const Plan& plan) {
    const Mesh& mesh = plan.mesh;
    bool spans = false;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        if (mesh.coordinate(rank, Axis::Shard) > 0 || mesh.coordinate(rank, Axis::Context) > 0) continue;
        Coordinates last = mesh.coordinates(rank);
        last[Axis::Data] += mesh.size(Axis::Data) / mesh.copies() - 1;
        last[Axis::Context] = mesh.size(Axis::Context) - 1;
        spans = spans || mesh.host(rank) != mesh.host(mesh.rank(last));
    }
    return say("HSDP: {} copies of what ZeRO {} divides, each over {} ranks{}; a rank holds {} × as much of it as if "
               "all {} replicas shared one copy",
               mesh.copies(), plan.layout.parallel.zero, replicasOfCopy(plan.layout.parallel),
               spans ? say(", some of which span several hosts")
               : plan.layout.cluster.hosts.size() > 1
                   ? say(" of one host: only the sums between copies cross the network")
                   : Sentence(),
               mesh.copies(), replicaCount(plan.layout.parallel));
}

void addNotes(Plan& plan) {
    const Layout& layout = plan.layout;
    std::vector<Sentence>& notes = plan.notes;
    if (layout.cluster.pace) notes.push_back(pacedNote(plan));
    else if (Sentence note = basisNote(costBasis(plan.measurements, layout), layout); !note.empty())
        notes.push_back(std::move(note));
    if (const SoftwareStack* stack = modelledStack(layout))
        notes.push_back(say("times and memory are those of {}; a run here computes with Shardlab's own engine{}",
                            stack->title,
                            layout.precision.products == ProductFormat::Compute || roundsProducts(layout)
                                ? Sentence()
                                : say(", whose products are in {}", wordOf(layout.precision.compute))));
    if (!hasSchedule(layout, layout.schedule.kind))
        notes.push_back(say("{} has no schedule {}: times are those of its kernels in that order",
                            layout.cluster.pace->stack, layout.schedule.kind));
    if (plan.costs.cores > 0)
        notes.push_back(
            say("{} ranks share the {} {} of this machine: ranks that compute at the same time get equal shares",
                plan.mesh.ranks(), sharedUnits(layout).count, termOf(sharedUnits(layout).name)));
    for (Sentence& note : precisionNotes(layout.precision)) notes.push_back(std::move(note));
    for (Sentence& note : fp8Notes(layout)) notes.push_back(std::move(note));
    for (Sentence& note : tensorNotes(layout)) notes.push_back(std::move(note));
    for (Sentence& note : expertNotes(layout)) notes.push_back(std::move(note));
    for (Sentence& note : stateNotes(layout)) notes.push_back(std::move(note));

    const auto again = [](const StageCosts& cost) { return cost.recompute / cost.backward; };
    if (const auto most = std::ranges::max_element(plan.costs.stages, {}, again); most->recompute > 0)
        notes.push_back(say("recompute {}: up to {} of the time of a backward goes into computing activations again",
                            wordOf(layout.memory.recompute), formatPercent(again(*most))));
    for (const std::vector<int>& group : plan.mesh.groups(Axis::Tensor))
        if (plan.mesh.host(group.front()) != plan.mesh.host(group.back())) {
            notes.push_back(say("tensor groups span several hosts: the collectives of every layer cross the network"));
            break;
        }
    const auto byForward = [](const StageCosts& a, const StageCosts& b) { return a.forward < b.forward; };
    const auto [fastest, slowest] = std::ranges::minmax_element(plan.costs.stages, byForward);
    if (slowest->forward > 1.05 * fastest->forward)
        notes.push_back(say("stage {} takes {:.2f} × the time of stage {}: unequal stages add to the bubble",
                            slowest - plan.costs.stages.begin(), slowest->forward / fastest->forward,
                            fastest - plan.costs.stages.begin()));
    if (plan.simulation.folded)
        notes.push_back(say("the timeline shows the first and the last replica of {}, for all do the same",
                            plan.mesh.ranks() / static_cast<int>(plan.lowered.ranks.size())));
    if (!plan.lowered.flushes()) {
        notes.push_back(say("asynchronous: steps follow each other without a flush, and gradients are computed with "
                            "earlier weights; the predicted step is one between fill and drain"));
        if (plan.lowered.stages() > 1)
            notes.push_back(say("the output projection has weights of its own: the first and the last stage could "
                                "share the token embedding only by waiting for each other"));
    }
    const Exchange exchange = layout.parallel.exchange;
    if (exchange == Exchange::AsyncServer)
        notes.push_back(say("asynchronous: replica 0 is the parameter server, which is busy {} of its time taking "
                            "gradients, updating and sending weights; a step has {} updates, one for each worker, and "
                            "the staleness of a gradient is {} updates of other workers",
                            formatPercent(serverBusy(plan.simulation.events)), workers(layout.parallel),
                            workers(layout.parallel) - 1));
    if (exchange == Exchange::Hogwild)
        notes.push_back(
            say("without a lock: {} write the same weights, which lie once in the host's memory, and each worker "
                "computes its gradients with a copy of its own; there are no messages, and no worker waits for "
                "another; a step has one update of each worker, and the staleness of a gradient is {} updates of other "
                "workers if all are equally fast",
                workers(layout.parallel) == 1 ? say("1 worker") : say("{} workers", workers(layout.parallel)),
                workers(layout.parallel) - 1));
    if (exchange == Exchange::Elastic)
        notes.push_back(
            say("replica 0 keeps the centre, a second copy of the weights, with which one replica exchanges in each "
                "step: each replica has its turn every {} steps, and validation uses the centre",
                layout.parallel.data));
    if (exchange == Exchange::Server)
        notes.push_back(say("replica 0 is the parameter server and a worker too: {} gradients reach it and {} copies "
                            "of the weights leave it one after another, and the other replicas wait while it updates",
                            layout.parallel.data - 1, layout.parallel.data - 1));
    if (plan.mesh.copies() > 1) notes.push_back(copiesNote(plan));
    const int m = plan.lowered.microbatches;
    if (layout.parallel.zero == 2 && m > 1)
        notes.push_back(say("ZeRO 2 scatters the gradients of each of {} microbatches: its traffic is {} × that of "
                            "ZeRO 1, which reduces once a step",
                            m, m));
    if (layout.parallel.zero == 3 && replicaCount(layout.parallel) > 1 && (m > 1 || layout.parallel.pipeline > 1))
        notes.push_back(say("ZeRO 3 gathers every layer for each forward and each backward of {}: its traffic is {} × "
                            "the parameters a step, while that of ZeRO 1 is 2 ×",
                            m == 1 ? say("1 microbatch") : say("{} microbatches", m), 3 * m));
    if (layout.parallel.zero == 3 && hasSegments(layout.memory) &&
        !recomputesSecondHalves(layout.memory))  // one layer, which needs its weights anyway
        notes.push_back(say(
            "recompute {} with ZeRO 3: the weights of a segment are gathered once and kept from its second forward to "
            "its backward: the traffic does not grow, and a rank holds up to {} of gathered weights instead of {}",
            wordOf(layout.memory.recompute), formatBytes(gatheredBytes(layout, layout.memory)),
            formatBytes(gatheredBytes(layout, {}))));
    if (layout.run.maxRestarts > 0 && layout.checkpoint.every == 0)
        notes.push_back(say(
            "restarts continue from the last checkpoint, and with checkpoint.every 0 none is written automatically"));
    if (isElastic(layout) && layout.run.maxRestarts == 0)
        notes.push_back(say("the run is elastic, but run.max_restarts is 0: a lost rank ends the run, and the number "
                            "of replicas changes only on request"));
    if (!plan.fits) {
        const RankMemory& most = neediest(layout, plan.memory);
        notes.push_back(say("memory: rank {} needs {}, and its device has {}", most.rank,
                            formatBytes(neededBytes(layout, most)), toText(plan.device)));
    }
    if (layout.cluster.device == DeviceKind::Cpu) {
        std::int64_t sum = 0;
        for (const RankMemory& rank : plan.memory) sum += rank.peak + total(rank.host);
        if (layout.cluster.hosts.size() == 1 && sum > hostMemory())
            notes.push_back(say("memory: all ranks together need {}, and this machine has {}", formatBytes(sum),
                                formatBytes(hostMemory())));
    }
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
    return hostMemory() / mostRanksOnAHost(mesh);
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
    addNotes(plan);
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
