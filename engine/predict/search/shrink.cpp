// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/shrink.h"

#include "engine/base/machine_memory.h"
#include "engine/layout/check/check.h"
#include "engine/layout/exchange.h"
#include "engine/layout/fault.h"
#include "engine/layout/recompute.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/plan/ledger.h"
#include "engine/predict/plan/step_plan.h"
#include "engine/predict/search/shrink_model.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace shardlab::predict {
namespace {

constexpr int mostPipeline = 8;
constexpr int mostStages = 32;
constexpr int mostBeside = 8;            ///< ranks beside each pipeline rank
constexpr int mostMicrobatches = 8;      ///< for each pipeline rank
constexpr double forwardSeconds = 1e-3;  ///< that a small layer's forward may take here, with its messages

/// The smallest prime factor of a degree.
int smallestFactor(int degree) {
    for (int factor = 2; factor * factor <= degree; ++factor)
        if (degree % factor == 0) return factor;
    return degree;
}

/// The degrees beside the pipeline, cut one prime factor at a time, the largest degree first.
void shrinkDegrees(Layout& layout) {
    ParallelSpec& parallel = layout.parallel;
    const ParallelSpec design = parallel;
    parallel.pipeline = std::min(parallel.pipeline, mostPipeline);
    const int room = parallel.pipeline >= 4 ? 2 : mostBeside / parallel.pipeline;
    const int leastData = parallel.exchange == Exchange::AllReduce ? 1 : 2;
    // Among degrees that are equally large the first goes first.
    std::vector<int*> degrees{&parallel.context, &parallel.data, &parallel.tensor};
    if (parallel.expert > 1) std::swap(degrees[1], degrees[2]);  // experts are spread over data ranks
    while (parallel.data * parallel.context * parallel.tensor > room) {
        const auto rest = [&](int* degree) {
            const int left = *degree / smallestFactor(*degree);
            return degree == &parallel.data && left < leastData ? 0 : *degree;
        };
        int* const largest = *std::ranges::max_element(degrees, {}, rest);
        if (*largest == 1 || rest(largest) == 0) break;
        *largest /= smallestFactor(*largest);
    }
    if (design.expertTensor > 0) parallel.expertTensor = std::gcd(design.expertTensor, parallel.tensor);
    const int folds = parallel.expertTensor > 0 ? parallel.tensor / parallel.expertTensor : 1;
    if (design.expert > 1)
        for (parallel.expert = std::min(design.expert, parallel.data * folds);
             parallel.data * folds % parallel.expert != 0 || parallel.expert % folds != 0;)
            --parallel.expert;
    if (parallel.tensor == 1) parallel.sequence = false;
    if (replicaCount(parallel) == 1 && !offloadsParameters(layout.memory)) {
        parallel.zero = 0;
        parallel.partition = PartitionKind::Flat;
    }
    if (replicaCount(parallel) == 1) layout.precision.exchange = ExchangeFormat::Full;
}

/// Layers for so many stages. Where embedding and output count as a layer each, they are two of them.
int layersFor(const Layout& design, int stages) {
    if (stages == 1) return std::min(design.model.layers, readsImages(design.model) ? 5 : 4);
    const int ofStage = stages <= 16 && !readsImages(design.model) ? 2 : 1;
    return ofStage * stages - (design.schedule.countEnds ? 2 : 0);
}

/// As many microbatches for each pipeline rank as the design has, or the most.
int microbatchesFor(const Layout& design, int pipeline) {
    const int wanted = microbatches(design);
    if (design.parallel.pipeline == pipeline && wanted <= mostMicrobatches * pipeline) return wanted;
    const double each = static_cast<double>(wanted) / design.parallel.pipeline;
    return pipeline * std::clamp(static_cast<int>(each), 1, mostMicrobatches);
}

void shrinkSchedule(Layout& twin, const Layout& design) {
    ScheduleSpec& schedule = twin.schedule;
    const int pipeline = twin.parallel.pipeline;
    schedule.chunks = std::min(schedule.chunks, std::max(1, mostStages / pipeline));
    schedule.inFlight = std::min(schedule.inFlight, pipeline * std::max(1, schedule.chunks) * 2);
    // Stages whose lengths were chosen keep them where they are as many and short.
    const bool kept = !schedule.stages.empty() && stageCount(twin) == stageCount(design) &&
                      design.model.layers <= mostStages && !readsImages(design.model);
    if (!kept) schedule.stages.clear();
    twin.model =
        smallModel(design.model, twin.parallel, kept ? design.model.layers : layersFor(design, stageCount(twin)));
    twin.batch.micro = 1;
    twin.batch.global = microbatchesFor(design, pipeline) * std::max(1, workers(twin.parallel));
}

/// Paced as the design is, or as the default device where it is not, and no faster than a few cores can follow.
void shrinkPace(Layout& twin) {
    if (!twin.cluster.pace) twin.cluster.pace = PaceSpec{};
    // A backward takes twice as long as a forward.
    const double units = 3.0 * microbatches(twin) * twin.model.layers * workers(twin.parallel) * twin.parallel.tensor *
                         twin.parallel.context;
    twin.cluster.pace->stepSeconds = std::clamp(std::ceil(units * forwardSeconds * 10) / 10, 0.6, 30.0);
}

Layout smallTwin(const Layout& design) {
    Layout twin = design;
    twin.name += ", small";
    shrinkDegrees(twin);
    shrinkSchedule(twin, design);
    twin.cluster = {.hosts = {HostSpec{.devices = rankCount(twin)}}, .pace = design.cluster.pace};
    shrinkPace(twin);
    twin.data = DataSpec{};
    twin.optimizer.warmup = std::min(twin.optimizer.warmup, 5);
    const int ofStage = std::max(1, twin.model.layers / stageCount(twin));
    twin.memory.recomputeBlocks = std::min(twin.memory.recomputeBlocks, ofStage);
    twin.memory.lossPieces = static_cast<int>(std::min<std::int64_t>(twin.memory.lossPieces, mostLossPieces(twin)));
    twin.run = RunSpec{.steps = std::min(design.run.steps, 20),
                       .seed = design.run.seed,
                       .validateEvery = design.run.validateEvery,
                       .validationBatches = 1};
    twin.checkpoint = CheckpointSpec{};
    return twin;
}

}  // namespace

bool trainsHere(const Layout& layout) {
    const std::vector<HostSpec>& hosts = layout.cluster.hosts;
    if (layout.cluster.device != DeviceKind::Cpu || hosts.size() != 1 || hosts.front().name != HostSpec{}.name)
        return false;
    const StepPlan plan = stepPlan(layout);
    double bytes = 0;
    for (const RankMemory& rank : memoryLedger(plan.layout, plan.lowered, plan.mesh))
        bytes += static_cast<double>(rank.peak) + static_cast<double>(total(rank.host));
    return bytes <= static_cast<double>(machineMemory());
}

Result<ShrunkLayout> shrinkToThisMachine(const Layout& design) {
    if (trainsHere(design)) return ShrunkLayout{design, {}};
    if (!design.schedule.actions.empty() &&
        (design.parallel.pipeline > mostPipeline || stageCount(design) > mostStages ||
         microbatches(design) > mostMicrobatches * design.parallel.pipeline))
        return fail({say("the layout cannot be shrunk"), "/schedule/actions",
                     say("the order of its actions is written by hand and has no smaller form"),
                     say("an order for {} pipeline ranks, {} stages and {} microbatches a rank at most; or a "
                         "schedule that Shardlab makes",
                         mostPipeline, mostStages, mostMicrobatches)});
    Layout twin = smallTwin(design);
    std::vector<Fault> faults = check(twin, scheduleMethods());
    if (!faults.empty()) {
        const auto legal = nearestLegal(twin);
        if (!legal || legal->layout.schedule.kind != design.schedule.kind)
            return fail({say("the layout cannot be shrunk"), design.name, toText(faults), {}});
        twin = legal->layout;
    }
    std::vector<FieldChange> changes = changesBetween(design, twin);
    return ShrunkLayout{std::move(twin), std::move(changes)};
}

}  // namespace shardlab::predict
