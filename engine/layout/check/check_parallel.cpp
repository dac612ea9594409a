// SPDX-License-Identifier: Apache-2.0
#include "engine/base/most_ranks.h"
#include "engine/layout/check/check_rules.h"
#include "engine/layout/exchange.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace shardlab::layout {
namespace {

/// Forwards of one replica's step, whose actions must fit in memory.
constexpr std::int64_t mostForwards = 1 << 20;

std::int64_t deviceCount(const Layout& layout) {
    std::int64_t sum = 0;
    for (const HostSpec& host : layout.cluster.hosts) sum += std::max(host.devices, 0);
    return sum;
}

bool positive(const ParallelSpec& parallel) {
    return std::ranges::all_of(
        axisTraits, [&](const AxisTraits& axis) { return parallel.*axis.degree > 0 || mayBeZero(axis.axis); });
}

/// The degrees besides data and pipeline whose product is a factor of the number of ranks.
std::vector<int> otherFactors(const ParallelSpec& parallel) {
    std::vector<int> factors;
    for (const Axis axis : axesAsWritten)
        if (placesRanks(axis) && axis != Axis::Data && axis != Axis::Pipeline)
            factors.push_back(degree(parallel, axis));
    return factors;
}

/// Splits of `devices` into data × pipeline, those first that also divide batch and layers.
std::string degreeText(const Layout& layout, std::int64_t devices) {
    double inner = 1;
    for (const int factor : otherFactors(layout.parallel)) inner *= factor;
    const auto others = static_cast<std::int64_t>(std::min(inner, 1e9));
    if (devices % others != 0 || devices > mostRanks) return fmt::format("degrees whose product is {}", devices);
    const std::int64_t product = devices / others;
    std::vector<std::string> good, rest;
    for (std::int64_t pipeline = 1; pipeline <= product; ++pipeline) {
        if (product % pipeline != 0) continue;
        const std::int64_t data = product / pipeline;
        // Suggested are degrees that also divide layers and batch, where there are any.
        const bool divides = layout.model.layers % (pipeline * std::max(layout.schedule.chunks, 1)) == 0 &&
                             layout.batch.global % (data * std::max(layout.batch.micro, 1)) == 0;
        (divides ? good : rest).push_back(fmt::format("{} × {}", data, pipeline));
    }
    if (good.empty()) good = std::move(rest);
    if (good.size() > 6) good.resize(6);
    return "data × pipeline " + alternatives(good);
}

void checkDegrees(const Layout& layout, std::vector<Fault>& faults) {
    if (!positive(layout.parallel) || layout.cluster.hosts.empty()) return;
    const std::int64_t ranks = rankCount(layout);
    const std::int64_t devices = deviceCount(layout);
    if (ranks > mostRanks)
        faults.push_back({"/parallel/data", fmt::format("there are more than {} ranks", mostRanks),
                          "events number ranks with 16 bits", "a smaller product of degrees"});
    if (ranks == devices || devices == 0) return;
    const ParallelSpec& p = layout.parallel;
    std::string product = fmt::format("{} × {}", p.data, p.pipeline);
    for (const int factor : otherFactors(p))
        if (factor > 1) product += fmt::format(" × {}", factor);
    const std::string what =
        ranks > devices ? fmt::format("{} are {} ranks, more than the {} devices of the hosts", product, ranks, devices)
                        : fmt::format("{} are {} ranks, but the hosts have {} devices", product, ranks, devices);
    const std::string why = ranks > devices ? "every rank needs a device of its own" : "devices would stand idle";
    faults.push_back({"/parallel/data", what, why,
                      fmt::format("{}; or {} devices in cluster.hosts", degreeText(layout, devices), ranks)});
}

std::string listText(const std::vector<int>& list) {
    std::string text = "[";
    for (std::size_t i = 0; i < list.size(); ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", list[i]);
    return text + "]";
}

/// As even as `layers` can be split, the first stages one longer.
std::vector<int> nearlyEven(int layers, int stages) {
    std::vector<int> split(static_cast<std::size_t>(stages), layers / stages);
    for (int i = 0; i < layers % stages; ++i) ++split[static_cast<std::size_t>(i)];
    return split;
}

/// Only the first stage and the last have something to do where they have no layer.
void checkEnds(const Layout& layout, std::vector<Fault>& faults) {
    const std::vector<int> split = stageLayers(layout);
    for (std::size_t stage = 0; stage < split.size(); ++stage) {
        const bool end = stage == 0 || stage + 1 == split.size();
        if (split[stage] != 0 || (end && split.size() > 1 && !readsImages(layout.model))) continue;
        const bool listed = !layout.schedule.stages.empty();
        faults.push_back(
            {listed ? fmt::format("/schedule/stages/{}", stage) : "/schedule/count_ends",
             fmt::format("stage {} holds no layer", stage),
             end ? "it would have nothing to compute: the model has neither embedding nor a stage beside it"
                 : "between the stages of embedding and output every stage computes layers",
             listed ? "1 to 10000" : "false"});
    }
}

void checkStages(const Layout& layout, std::vector<Fault>& faults) {
    const int layers = layout.model.layers;
    const int stages = stageCount(layout);
    if (layers < 1 || stages < 1 || layout.schedule.chunks < 1) return;
    const bool splittable = layers >= stages && stages <= 64;
    const auto example = [&] { return listText(nearlyEven(layers, stages)); };

    const std::vector<int>& listed = layout.schedule.stages;
    if (listed.empty() && layout.schedule.countEnds && stages > 1) {
        if (layers + 2 < stages)
            faults.push_back(
                {"/parallel/pipeline",
                 fmt::format("{} layers with embedding and output are too few for {} stages", layers, stages),
                 "every stage between the first and the last holds at least one layer",
                 fmt::format("pipeline × chunks at most {}", layers + 2)});
        checkEnds(layout, faults);
        return;
    }
    if (listed.empty()) {
        if (layers % stages == 0) return;
        std::string legal = "pipeline × chunks " + divisorText(layers, stages);
        if (splittable) legal += "; or schedule.stages " + example() + "; or schedule.count_ends true";
        faults.push_back({"/parallel/pipeline", fmt::format("{} layers do not divide into {} stages", layers, stages),
                          "an even split gives every stage the same number of layers", legal});
        return;
    }
    if (listed.size() != static_cast<std::size_t>(stages))
        faults.push_back({"/schedule/stages",
                          fmt::format("{} stages are listed, but pipeline × chunks is {}", listed.size(), stages),
                          "every stage needs its number of layers",
                          splittable ? fmt::format("{} numbers, for instance {}", stages, example())
                                     : fmt::format("{} numbers", stages)});
    const std::int64_t sum = std::accumulate(listed.begin(), listed.end(), std::int64_t{0});
    if (sum != layers)
        faults.push_back({"/schedule/stages",
                          fmt::format("the stages hold {} layers, but the model has {}", sum, layers),
                          "every layer belongs to exactly one stage",
                          splittable ? fmt::format("a sum of {}, for instance {}", layers, example())
                                     : fmt::format("a sum of {}", layers)});
    checkEnds(layout, faults);
}

void checkBatch(const Layout& layout, std::vector<Fault>& faults) {
    const BatchSpec& batch = layout.batch;
    const std::int64_t data = workers(layout.parallel);
    if (batch.global < 1 || batch.micro < 1 || data < 1) return;
    const std::int64_t together = data * batch.micro;
    if (batch.global % together != 0) {
        const std::int64_t below = batch.global / together * together;
        std::string legal = fmt::format("global {}", below > 0 ? fmt::format("{} or {}", below, below + together)
                                                               : std::to_string(together));
        if (batch.global % data == 0) legal += "; or micro " + divisorText(batch.global / data, batch.micro);
        faults.push_back(
            {"/batch/global",
             fmt::format("{} {} × micro {} does not divide {}", data == layout.parallel.data ? "data" : "workers", data,
                         batch.micro, batch.global),
             "every replica works through the same whole number of microbatches", legal});
        return;
    }
    // Replicas and members of groups do the same, and are simulated once.
    const double forwards = double(batch.global / together) * std::max(stageCount(layout), 1);
    if (forwards > mostForwards)
        faults.push_back({"/batch/global", fmt::format("a step of a replica would have {:.0f} forwards", forwards),
                          "the actions of one step are held in memory",
                          fmt::format("at most {} = microbatches × stages", mostForwards)});
}

/// Chunks that the method can have, those first that split the layers evenly.
std::string chunksText(const Layout& layout, const ScheduleMethod& method) {
    if (method.minChunks == method.maxChunks) return std::to_string(method.minChunks);
    const int layers = layout.model.layers, ranks = std::max(layout.parallel.pipeline, 1);
    std::vector<std::string> even;
    for (int chunks = method.minChunks; chunks <= std::min(method.maxChunks, layers / ranks); ++chunks)
        if (layers % (ranks * chunks) == 0 && even.size() < 6) even.push_back(std::to_string(chunks));
    const std::string range = fmt::format("{} to {}", method.minChunks, method.maxChunks);
    return even.empty() ? range
                        : fmt::format("{}; {} {} layers evenly over {} ranks", range,
                                      alternatives(even) + (even.size() > 1 ? " split" : " splits"), layers, ranks);
}

/// Samples a microbatch for which the method has an order, of those that divide the replica's batch.
std::vector<std::string> microTexts(const Layout& layout, const ScheduleMethod& method, ScheduleShape shape) {
    std::vector<std::string> good;
    const int share = layout.batch.global / layout.parallel.data;
    for (int micro = 1; micro <= share && good.size() < 6; ++micro) {
        if (share % micro != 0) continue;
        shape.microbatches = share / micro;
        if (!method.refusal(shape)) good.push_back(std::to_string(micro));
    }
    return good;
}

/// What would make the stages wait for each other at an update.
void checkAsynchronous(const Layout& layout, const ScheduleMethod& method, std::vector<Fault>& faults) {
    if (layout.optimizer.clip > 0)
        faults.push_back({"/optimizer/clip",
                          fmt::format("{} cannot clip by the norm of the whole gradient", method.name),
                          "each stage updates as soon as its own gradient is there, and waiting for the norm of all "
                          "stages would be a flush",
                          "0; or a schedule with a flush, 1f1b"});
    if (layout.parallel.allReduce == AllReduceKind::Ring)
        faults.push_back({"/parallel/all_reduce", fmt::format("{} has no buckets for a ring", method.name),
                          "each update reduces its stage's gradients at once, by the backend",
                          "backend; or a schedule with a flush, 1f1b"});
    if (layout.parallel.zero > 0)
        faults.push_back(
            {"/parallel/zero", fmt::format("{} does not work with ZeRO", method.name),
             "a rank keeps several whole versions of its stage's weights, which shards would have to follow",
             "0; or a schedule with a flush, 1f1b"});
    if (layout.checkpoint.every > 0)
        faults.push_back(
            {"/checkpoint/every", fmt::format("{} has no moment at which a checkpoint is whole", method.name),
             "between two steps microbatches are on their way and several versions of the weights are in use",
             "0; or a schedule with a flush, 1f1b"});
    if (layout.run.maxRestarts > 0)
        faults.push_back({"/run/max_restarts", fmt::format("{} cannot be restarted", method.name),
                          "a restart goes on from a checkpoint, and it has no moment at which one is whole",
                          "0; or a schedule with a flush, 1f1b"});
}

void checkSchedule(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    const auto found = std::ranges::find(schedules, layout.schedule.kind, &ScheduleMethod::name);
    if (found == schedules.end()) return;
    const ScheduleMethod& method = *found;
    const int chunks = layout.schedule.chunks;
    const bool chunksFit = chunks >= method.minChunks && chunks <= method.maxChunks;
    if (chunks > 0 && !chunksFit)
        faults.push_back({"/schedule/chunks",
                          fmt::format("{} does not work with {} chunk{}", method.name, chunks, chunks == 1 ? "" : "s"),
                          method.minChunks > 1 && chunks < method.minChunks
                              ? "it needs several stages on each rank"
                              : "the schedule fixes how many stages a rank can hold",
                          chunksText(layout, method)});
    if (layout.schedule.inFlight > 0 && !method.takesLimit)
        faults.push_back({"/schedule/in_flight", fmt::format("{} takes no limit", method.name),
                          "its order fixes how many microbatches a rank holds", "0"});
    if (!layout.schedule.actions.empty() && !method.byHand)
        faults.push_back({"/schedule/actions", fmt::format("{} makes its own order", method.name),
                          "only one order can count, and it is unclear which was meant",
                          "no actions; or the schedule custom, which does what is listed"});
    if (layout.schedule.verticalSync && !method.takesVerticalSync)
        faults.push_back({"/schedule/vertical_sync", fmt::format("{} takes no vertical sync", method.name),
                          method.flushes ? "all its microbatches of a step use one version of the weights anyway"
                                         : "its steps use one version of the weights in all stages anyway",
                          "false; or schedule.kind pipedream"});
    if (!method.flushes) checkAsynchronous(layout, method, faults);
    const ScheduleShape shape{layout.parallel.pipeline, chunks,
                              microbatches(layout),     layout.schedule.inFlight,
                              layout.schedule.actions,  layout.schedule.verticalSync};
    if (!chunksFit || shape.ranks < 1 || shape.microbatches < 1 || method.refusal == nullptr) return;
    if (const std::optional<ShapeRefusal> refusal = method.refusal(shape)) {
        std::string legal = refusal->legal;
        if (const std::vector<std::string> micro = microTexts(layout, method, shape); !micro.empty())
            legal += "; so with micro " + alternatives(micro);
        std::string what = refusal->what;
        if (what.empty())
            what = fmt::format("{} cannot be scheduled with {} ranks and {} microbatches", method.name, shape.ranks,
                               shape.microbatches);
        faults.push_back(
            {std::string(refusal->pointer), std::move(what), refusal->why, std::move(legal), refusal->picture});
    }
}

void checkDataAxis(const Layout& layout, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    if (p.zero > 0 && replicaCount(p) == 1)
        faults.push_back({"/parallel/zero", fmt::format("ZeRO {} with one replica", p.zero),
                          "ZeRO divides state over the data replicas, and there is only one",
                          "0; or parallel.data of at least 2"});
    if (p.partition != PartitionKind::Flat && p.zero < 3)
        faults.push_back({"/parallel/partition",
                          fmt::format("the partition {} with ZeRO {}", wordOf(p.partition), p.zero),
                          "only ZeRO 3 divides the parameters", "flat; or parallel.zero 3"});
    if (p.bucket == 0 && p.allReduce == AllReduceKind::Ring)
        faults.push_back({"/parallel/all_reduce", "a ring without buckets", "what goes round a ring is a bucket",
                          "backend; or parallel.bucket above 0"});
    if (p.zero > 0 && p.allReduce == AllReduceKind::Ring)
        faults.push_back({"/parallel/all_reduce", fmt::format("a ring with ZeRO {}", p.zero),
                          "ZeRO scatters gradients and gathers parameters: there is no all-reduce", "backend"});
}

}  // namespace

void checkParallel(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    checkDegrees(layout, faults);
    checkStages(layout, faults);
    checkBatch(layout, faults);
    checkDataAxis(layout, faults);
    checkCopies(layout, faults);
    checkSchedule(layout, schedules, faults);
}

}  // namespace shardlab::layout
