// SPDX-License-Identifier: Apache-2.0
#include "engine/base/divisors.h"
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
Sentence degreeText(const Layout& layout, std::int64_t devices) {
    double inner = 1;
    for (const int factor : otherFactors(layout.parallel)) inner *= factor;
    const auto others = static_cast<std::int64_t>(std::min(inner, 1e9));
    if (devices % others != 0 || devices > mostRanks) return say("degrees whose product is {}", devices);
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
    return say("data × pipeline {}", alternatives(good));
}

void checkDegrees(const Layout& layout, std::vector<Fault>& faults) {
    if (!positive(layout.parallel) || layout.cluster.hosts.empty()) return;
    const std::int64_t ranks = rankCount(layout);
    const std::int64_t devices = deviceCount(layout);
    if (ranks > mostRanks)
        faults.push_back({"/parallel/data", say("there are more than {} ranks", mostRanks),
                          say("events number ranks with 16 bits"),
                          say("a product of degrees of at most {}, with as many devices in cluster.hosts", mostRanks)});
    if (ranks == devices || devices == 0) return;
    const ParallelSpec& p = layout.parallel;
    std::string product = fmt::format("{} × {}", p.data, p.pipeline);
    for (const int factor : otherFactors(p))
        if (factor > 1) product += fmt::format(" × {}", factor);
    const Sentence what = ranks > devices
                              ? say("{} are {} ranks, more than the {} devices of the hosts", product, ranks, devices)
                              : say("{} are {} ranks, but the hosts have {} devices", product, ranks, devices);
    const Sentence why =
        ranks > devices ? say("every rank needs a device of its own") : say("devices would stand idle");
    faults.push_back(
        {"/parallel/data", what, why, say("{}; or {} devices in cluster.hosts", degreeText(layout, devices), ranks)});
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
             say("stage {} holds no layer", stage),
             end ? say("it would have nothing to compute: the model has neither embedding nor a stage beside it")
                 : say("between the stages of embedding and output every stage computes layers"),
             listed ? say("1 to 10000") : "false"});
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
            faults.push_back({"/parallel/pipeline",
                              say("{} layers with embedding and output are too few for {} stages", layers, stages),
                              say("every stage between the first and the last holds at least one layer"),
                              say("pipeline × chunks at most {}", layers + 2)});
        checkEnds(layout, faults);
        return;
    }
    if (listed.empty()) {
        if (layers % stages == 0) return;
        Sentence legal = say("pipeline × chunks {}", divisorText(layers, stages));
        if (splittable) legal = say("{}; or schedule.stages {}; or schedule.count_ends true", legal, example());
        faults.push_back({"/parallel/pipeline",
                          layers == 1 ? say("1 layer does not divide into {} stages", stages)
                                      : say("{} layers do not divide into {} stages", layers, stages),
                          say("an even split gives every stage the same number of layers"), legal});
        return;
    }
    if (listed.size() != static_cast<std::size_t>(stages))
        faults.push_back(
            {"/schedule/stages",
             say("the length of the list is {}, but pipeline × chunks is {}", listed.size(), stages),
             say("every stage needs its number of layers"),
             splittable ? say("{} numbers, for instance {}", stages, example()) : say("{} numbers", stages)});
    const std::int64_t sum = std::accumulate(listed.begin(), listed.end(), std::int64_t{0});
    if (sum != layers)
        faults.push_back(
            {"/schedule/stages", say("the stages hold {} layers, but the model has {}", sum, layers),
             say("every layer belongs to exactly one stage"),
             splittable ? say("a sum of {}, for instance {}", layers, example()) : say("a sum of {}", layers)});
    checkEnds(layout, faults);
}

void checkBatch(const Layout& layout, std::vector<Fault>& faults) {
    const BatchSpec& batch = layout.batch;
    const std::int64_t data = workers(layout.parallel);
    if (batch.global < 1 || batch.micro < 1 || data < 1) return;
    const std::int64_t together = data * batch.micro;
    if (batch.global % together != 0) {
        const std::int64_t below = batch.global / together * together;
        Sentence legal =
            say("global {}", below > 0 ? say("{} or {}", below, below + together) : std::to_string(together));
        if (batch.global % data == 0)
            legal = say("{}; or micro {}", legal, divisorText(batch.global / data, batch.micro));
        faults.push_back({"/batch/global",
                          data == layout.parallel.data
                              ? say("data {} × micro {} does not divide {}", data, batch.micro, batch.global)
                              : say("workers {} × micro {} does not divide {}", data, batch.micro, batch.global),
                          say("every replica works through the same whole number of microbatches"), legal});
        return;
    }
    // Replicas and members of groups do the same, and are simulated once.
    const double forwards = double(batch.global / together) * std::max(stageCount(layout), 1);
    if (forwards > mostForwards)
        faults.push_back({"/batch/global", say("a step of a replica would have {:.0f} forwards", forwards),
                          say("the actions of one step are held in memory"),
                          say("at most {} = microbatches × stages", mostForwards)});
}

/// Chunks that the method can have, those first that split the layers evenly.
Sentence chunksText(const Layout& layout, const ScheduleMethod& method) {
    if (method.minChunks == method.maxChunks) return std::to_string(method.minChunks);
    const int layers = layout.model.layers, ranks = std::max(layout.parallel.pipeline, 1);
    std::vector<std::string> even;
    for (int chunks = method.minChunks; chunks <= std::min(method.maxChunks, layers / ranks); ++chunks)
        if (layers % (ranks * chunks) == 0 && even.size() < 6) even.push_back(std::to_string(chunks));
    const Sentence range = say("{} to {}", method.minChunks, method.maxChunks);
    if (even.empty()) return range;
    return even.size() > 1
               ? say("{}; {} split {} layers evenly over {} ranks", range, alternatives(even), layers, ranks)
               : say("{}; {} splits {} layers evenly over {} ranks", range, even.front(), layers, ranks);
}

/// Samples a microbatch for which the method has an order, of those that divide the replica's batch.
std::vector<std::string> microTexts(const Layout& layout, const ScheduleMethod& method, ScheduleShape shape) {
    std::vector<std::string> good;
    const int share = layout.batch.global / layout.parallel.data;
    for (const int micro : divisors(share)) {
        if (good.size() == 6) break;
        shape.microbatches = share / micro;
        if (!method.refusal(shape)) good.push_back(std::to_string(micro));
    }
    return good;
}

/// What would make the stages wait for each other at an update.
void checkAsynchronous(const Layout& layout, const ScheduleMethod& method, std::vector<Fault>& faults) {
    if (layout.optimizer.clip > 0)
        faults.push_back({"/optimizer/clip", say("{} cannot clip by the norm of the whole gradient", method.name),
                          say("each stage updates as soon as its own gradient is there, and waiting for the norm of "
                              "all stages would be a flush"),
                          say("0; or a schedule with a flush, 1f1b")});
    if (predictionModules(layout.model) > 0 && stageCount(layout) > 1)
        faults.push_back(
            {"/model/predicted_tokens",
             say("{} has no moment at which the first and the last stage agree on the embedding", method.name),
             say("modules embed tokens on the last stage, and both copies take the sum of their gradients"),
             say("0; or a schedule with a flush, 1f1b")});
    if (layout.parallel.zero > 0)
        faults.push_back(
            {"/parallel/zero", say("{} does not work with ZeRO", method.name),
             say("a rank keeps several whole versions of its stage's weights, which shards would have to follow"),
             say("0; or a schedule with a flush, 1f1b")});
}

void checkSchedule(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    const ScheduleMethod* found = methodNamed(layout.schedule.kind, schedules);
    if (found == nullptr) return;
    const ScheduleMethod& method = *found;
    const int chunks = layout.schedule.chunks;
    const bool chunksFit = chunks >= method.minChunks && chunks <= method.maxChunks;
    if (chunks > 0 && !chunksFit)
        faults.push_back({"/schedule/chunks",
                          chunks == 1 ? say("{} does not work with 1 chunk", method.name)
                                      : say("{} does not work with {} chunks", method.name, chunks),
                          method.minChunks > 1 && chunks < method.minChunks
                              ? say("it needs several stages on each rank")
                              : say("the schedule fixes how many stages a rank can hold"),
                          chunksText(layout, method)});
    if (layout.schedule.inFlight > 0 && !method.takesLimit)
        faults.push_back({"/schedule/in_flight", say("{} takes no limit", method.name),
                          say("its order fixes how many microbatches a rank holds"), "0"});
    if (!layout.schedule.actions.empty() && !method.byHand)
        faults.push_back({"/schedule/actions", say("{} makes its own order", method.name),
                          say("only one order can count, and it is unclear which was meant"),
                          say("no actions; or the schedule custom, which does what is listed")});
    if (layout.schedule.verticalSync && !method.takesVerticalSync)
        faults.push_back({"/schedule/vertical_sync", say("{} takes no vertical sync", method.name),
                          method.flushes ? say("all its microbatches of a step use one version of the weights anyway")
                                         : say("its steps use one version of the weights in all stages anyway"),
                          say("false; or schedule.kind pipedream")});
    if (!method.flushes) checkAsynchronous(layout, method, faults);
    const ScheduleShape shape{layout.parallel.pipeline, chunks,
                              microbatches(layout),     layout.schedule.inFlight,
                              layout.schedule.actions,  layout.schedule.verticalSync};
    if (!chunksFit || shape.ranks < 1 || shape.microbatches < 1 || method.refusal == nullptr) return;
    if (const std::optional<ShapeRefusal> refusal = method.refusal(shape)) {
        Sentence legal = refusal->legal;
        if (const std::vector<std::string> micro = microTexts(layout, method, shape); !micro.empty())
            legal = say("{}; so with micro {}", legal, alternatives(micro));
        Sentence what = refusal->what;
        if (what.empty())
            what = say("{} cannot be scheduled with {} and {}", method.name,
                       shape.ranks == 1 ? say("1 rank") : say("{} ranks", shape.ranks),
                       shape.microbatches == 1 ? say("1 microbatch") : say("{} microbatches", shape.microbatches));
        faults.push_back(
            {std::string(refusal->pointer), std::move(what), refusal->why, std::move(legal), refusal->picture});
    }
}

void checkDataAxis(const Layout& layout, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    const bool fetches = p.zero == 3 && offloadsParameters(layout.memory);
    if (p.zero > 0 && replicaCount(p) == 1 && !fetches)
        faults.push_back({"/parallel/zero", say("ZeRO {} with one replica", p.zero),
                          say("ZeRO divides state over the data replicas, and there is only one"),
                          say("0; or parallel.data of at least 2; or 3 with memory.offload parameters")});
    if (p.partition != PartitionKind::Flat && p.zero < 3)
        faults.push_back({"/parallel/partition", say("the partition {} with ZeRO {}", wordOf(p.partition), p.zero),
                          say("only ZeRO 3 divides the parameters"), say("flat; or parallel.zero 3")});
    if (p.zero == 3 && p.partition == PartitionKind::Layers && p.allReduce == AllReduceKind::Ring)
        faults.push_back({"/parallel/all_reduce", say("a ring with whole layers"),
                          say("each of them goes to the replica that has all of it, and from there: no parts go round"),
                          say("backend; or parallel.partition flat")});
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
