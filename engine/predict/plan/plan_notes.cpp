// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/plan_notes.h"

#include "engine/base/device_time.h"
#include "engine/base/machine_memory.h"
#include "engine/base/units.h"
#include "engine/layout/check/elastic_sizes.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/fp8.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/layout/stacks.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/predict/plan/async_server.h"
#include "engine/predict/plan/expert_notes.h"
#include "engine/predict/plan/fp8_costs.h"
#include "engine/predict/plan/layer_bytes.h"
#include "engine/predict/plan/precision_notes.h"
#include "engine/predict/plan/state_notes.h"
#include "engine/predict/plan/tensor_notes.h"

#include <algorithm>
#include <iterator>

namespace shardlab::predict {
namespace {

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

/// Notes on the device and the program whose times these are, and on ranks that share what computes.
void addTimes(const Plan& plan, std::vector<Sentence>& notes) {
    const Layout& layout = plan.layout;
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
}

/// What stages take, and in which order their steps follow each other.
void addStages(const Plan& plan, std::vector<Sentence>& notes) {
    const Layout& layout = plan.layout;
    const auto again = [](const StageCosts& cost) { return cost.recompute / cost.backward; };
    if (const auto most = std::ranges::max_element(plan.costs.stages, {}, again); most->recompute > 0)
        notes.push_back(say("recompute {}: up to {} of the time of a backward goes into computing activations again",
                            wordOf(layout.memory.recompute), formatPercent(again(*most))));
    if (const StageCosts& last = plan.costs.stages.back(); last.logitsAgain > 0)
        notes.push_back(say("loss in {} pieces: the logits are made again piece by piece, which takes {} of the last "
                            "stage's backward",
                            lossPieces(layout),
                            formatPercent(last.logitsOfBackward * last.logitsAgain / last.backward)));
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
        if (plan.layout.checkpoint.every > 0)
            notes.push_back(say("checkpoints: before each, every {} steps, the pipeline runs empty, and it fills again "
                                "after it; the predicted step does not count that",
                                plan.layout.checkpoint.every));
    }
}

/// Exchanges other than an all-reduce.
void addExchange(const Plan& plan, std::vector<Sentence>& notes) {
    const Layout& layout = plan.layout;
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
                            replicaCount(layout.parallel) - 1, replicaCount(layout.parallel) - 1));
}

/// What ZeRO sends and gathers.
void addSharding(const Plan& plan, std::vector<Sentence>& notes) {
    const Layout& layout = plan.layout;
    if (layout.parallel.zero > 0 && plan.mesh.copies() > 1) notes.push_back(copiesNote(plan));
    const int m = plan.lowered.microbatches;
    if (layout.parallel.zero == 2 && m > 1)
        notes.push_back(say("ZeRO 2 scatters the gradients of each of {} microbatches: its traffic is {} × that of "
                            "ZeRO 1, which reduces once a step",
                            m, m));
    if (layout.parallel.zero == 3 && replicaCount(layout.parallel) > 1 && (m > 1 || layout.parallel.pipeline > 1))
        notes.push_back(say("ZeRO 3 gathers every layer for each forward and each backward of {}: its traffic is {} × "
                            "the parameters a step, while that of ZeRO 1 is 2 ×",
                            m == 1 ? say("1 microbatch") : say("{} microbatches", m), 3 * m));
    if (layout.parallel.zero != 3 || !hasSegments(layout.memory)) return;
    const double ofSegment = gatheredBytes(layout, layout.memory), ofLayer = gatheredBytes(layout, {});
    if (ofSegment != ofLayer)
        notes.push_back(say(
            "recompute {} with ZeRO 3: the weights of a segment are gathered once and kept from its second forward to "
            "its backward: the traffic does not grow, and a rank holds up to {} of gathered weights instead of {}",
            wordOf(layout.memory.recompute), formatBytes(ofSegment), formatBytes(ofLayer)));
}

/// Restarts and lost ranks.
void addRestarts(const Plan& plan, std::vector<Sentence>& notes) {
    const Layout& layout = plan.layout;
    if (layout.run.maxRestarts > 0 && layout.checkpoint.every == 0)
        notes.push_back(say(
            "restarts continue from the last checkpoint, and with checkpoint.every 0 none is written automatically"));
    if (isElastic(layout) && layout.run.maxRestarts == 0)
        notes.push_back(say("the run is elastic, but run.max_restarts is 0: a lost rank ends the run, and the number "
                            "of replicas changes only on request"));
}

/// A device that holds less than its rank needs.
void addShortage(const Plan& plan, std::vector<Sentence>& notes) {
    if (plan.fits) return;
    const RankMemory& most = neediest(plan.layout, plan.memory);
    notes.push_back(say("rank {} does not fit: it needs {}, and its device has {}", most.rank,
                        formatBytes(neededBytes(plan.layout, most)), toText(plan.device)));
}

/// Whole logits that are a good part of what the rank that needs most has to hold.
void addLogits(const Plan& plan, std::vector<Sentence>& notes) {
    constexpr std::int64_t worthIt = std::int64_t{256} << 20, part = 10;
    const Layout& layout = plan.layout;
    if (readsImages(layout.model) || lossPieces(layout) > 1 || layout.parallel.zero == 3) return;
    const RankMemory& most = neediest(layout, plan.memory);
    if (plan.mesh.coordinate(most.rank, Axis::Pipeline) != plan.lowered.rankOfStage.back()) return;
    const std::int64_t logits = (1 + predictionModules(layout.model)) * stageSizes(layout, tensorShare(layout)).logits;
    if (logits < worthIt || part * logits < most.peak) return;
    notes.push_back(
        say("the logits of a microbatch are {} of the {} that rank {} needs: with memory.loss_pieces above 1 "
            "no more than one piece of them is there, and the backward makes them again",
            formatBytes(logits), formatBytes(most.peak), most.rank));
}

/// A machine that holds less than all its ranks need.
void addMachine(const Plan& plan, std::vector<Sentence>& notes) {
    const ClusterSpec& cluster = plan.layout.cluster;
    if (cluster.device != DeviceKind::Cpu || cluster.hosts.size() != 1) return;
    std::int64_t sum = 0;
    for (const RankMemory& rank : plan.memory) sum += rank.peak + total(rank.host);
    if (sum > machineMemory())
        notes.push_back(say("too large for this machine: all ranks together need {}, and it has {}", formatBytes(sum),
                            formatBytes(machineMemory())));
}

}  // namespace

std::vector<Sentence> planNotes(const Plan& plan) {
    std::vector<Sentence> notes;
    addShortage(plan, notes);
    addTimes(plan, notes);
    std::ranges::move(precisionNotes(plan.layout.precision), std::back_inserter(notes));
    for (const auto notesOf : {fp8Notes, tensorNotes, expertNotes, stateNotes})
        std::ranges::move(notesOf(plan.layout), std::back_inserter(notes));
    for (const auto add : {addStages, addLogits, addExchange, addSharding, addRestarts, addMachine}) add(plan, notes);
    return notes;
}

}  // namespace shardlab::predict
