// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/search_axes.h"

#include "engine/base/divisors.h"
#include "engine/base/ranges.h"
#include "engine/layout/check/check.h"
#include "engine/layout/check/check_rules.h"
#include "engine/layout/exchange.h"
#include "engine/layout/fields.h"
#include "engine/layout/recompute.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/stacks.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/partition_layout.h"

#include <algorithm>
#include <array>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

namespace shardlab::predict {
namespace {

/// The schedule of one pipeline rank, which has no other to wait for.
constexpr std::string_view soloSchedule = "1f1b";

/// Faults of fields on their own, and of the model.
std::vector<Fault> fixedFaults(const Layout& layout) {
    std::vector<Fault> faults;
    checkFields(layout, scheduleMethods(), faults);
    checkModel(layout, faults);
    return faults;
}

/// A member of a context group has at least 4096 tokens, for shorter samples are better shared out whole; unless the
/// layout itself says otherwise.
int mostContext(const Layout& layout) {
    constexpr int fewestTokens = 4096;
    if (readsImages(layout.model)) return 1;
    return std::max({1, layout.parallel.context, layout.model.sequence / fewestTokens});
}

/// A choice whose every field is legal by itself.
Choice plainChoice() {
    ParallelSpec alone;
    alone.data = alone.pipeline = 1;
    return {alone, std::string(scheduleMethods().front().name), 1, 1, RecomputeKind::None, {}, false, 0, false};
}

/// Layers over stages by their number alone.
std::vector<int> sharedOut(int layers, int stages) {
    std::vector<int> split;
    for (int stage = 0; stage < stages; ++stage) split.push_back(rangeSize(layers, stages, stage));
    return split;
}

class Enumeration {
public:
    Enumeration(const Layout& base, std::stop_token stop, const Measurements* measurements)
        : base_(base), measurements_(measurements), probe_(base), stop_(std::move(stop)) {
        asynchronous_ = !flushes(base);
        // The hosts were judged once; for each choice only their number of devices counts.
        for (const HostSpec& host : base.cluster.hosts) devices_ += host.devices;
        smallestHost_ = std::ranges::min(base.cluster.hosts, {}, &HostSpec::devices).devices;
        probe_.cluster.hosts = {HostSpec{"localhost", devices_}};
        apply(plainChoice(), probe_);
        plain_ = probe_;
        degrees_[Axis::Expert] = divisors(hasExperts(base.model) ? std::gcd(devices_, base.model.experts.count) : 1);
        zero_ = open<int>("/parallel/zero", integers("/parallel/zero"));
        sequence_ = open<bool>("/parallel/sequence", {false, true});
        methods_ = {ContextKind::Ring, ContextKind::Ulysses};
    }

    std::vector<Choice> run() {
        const std::vector<int> all = divisors(devices_);
        for (const Axis axis : spread_) degrees_[axis] = open<int>("/parallel/" + std::string(name(axis)), all);
        // Each layer's collectives of a tensor group are worth it on the links inside a host only.
        std::erase_if(degrees_[Axis::Tensor], [&](int degree) { return degree > smallestHost_; });
        if (const SoftwareStack* stack = modelledStack(base_); stack && stack->schedules.empty())
            degrees_[Axis::Pipeline] = {1};
        std::erase_if(degrees_[Axis::Context], [&](int degree) { return degree > mostContext(base_); });
        return byFirstDegree();
    }

private:
    /// Each degree of the first axis is tried beside the others, and told in their order.
    std::vector<Choice> byFirstDegree() const {
        std::vector<std::future<std::vector<Choice>>> parts;
        for (const int tried : degrees_[spread_.front()])
            parts.push_back(std::async(std::launch::async | std::launch::deferred, [part = *this, tried]() mutable {
                part.degrees_[spread_.front()] = {tried};
                part.spread(0, part.devices_);
                return std::move(part.found_);
            }));
        std::vector<Choice> all;
        for (std::future<std::vector<Choice>>& part : parts) std::ranges::move(part.get(), std::back_inserter(all));
        return all;
    }

    template <class T>
    T& field(std::string_view pointer, Layout& layout) const {
        return std::get<T& (*)(Layout&)>(findField(pointer)->access)(layout);
    }

    /// The `values` that the field may have, whatever the other fields are.
    template <class T>
    std::vector<T> open(std::string_view pointer, std::vector<T> values) const {
        std::erase_if(values, [&](const T& value) {
            Layout layout = plain_;
            field<T>(pointer, layout) = value;
            std::vector<Fault> faults;
            checkFields(layout, scheduleMethods(), faults);
            return std::ranges::any_of(faults, [&](const Fault& fault) { return fault.pointer == pointer; });
        });
        return values;
    }

    static std::vector<int> integers(std::string_view pointer) {
        const FieldLimits& limits = findField(pointer)->limits;
        std::vector<int> all(static_cast<std::size_t>(limits.most - limits.least) + 1);
        std::iota(all.begin(), all.end(), static_cast<int>(limits.least));
        return all;
    }

    /// Degrees whose product is the number of devices.
    void spread(std::size_t place, int left) {
        if (stop_.stop_requested()) return;
        if (place == spread_.size()) {
            if (left == 1) contextMethods();
            return;
        }
        for (const int tried : degrees_[spread_[place]]) {
            if (left % tried != 0) continue;
            degree(probe_.parallel, spread_[place]) = tried;
            spread(place + 1, left / tried);
        }
    }

    /// How the members of a context group meet, which changes nothing where there is none.
    void contextMethods() {
        const ContextKind base = probe_.parallel.contextKind;
        const bool several = probe_.parallel.context > 1 && hasAttention(base_.model);
        for (const ContextKind tried : several ? methods_ : std::vector{base}) {
            probe_.parallel.contextKind = tried;
            experts();
        }
        probe_.parallel.contextKind = base;
    }

    /// Groups of replicas, and of the members of tensor groups too, where each expert is whole on one rank.
    void experts() {
        ParallelSpec& parallel = probe_.parallel;
        const bool folds = degrees_[Axis::Expert].size() > 1 && parallel.tensor > 1;
        for (const int own : folds ? std::vector{0, 1} : std::vector{0})
            for (const int tried : degrees_[Axis::Expert]) {
                parallel.expertTensor = own;
                parallel.expert = tried;
                const bool apart = own == 0 || expertFolds(parallel) > 1;
                if (!apart || replicaCount(parallel) % expertSpread(parallel) != 0) continue;
                layerCosts_.clear();
                placed_.reset();
                copies();
            }
        parallel.expertTensor = 0;
    }

    /// One copy of what ZeRO divides; and where there are several hosts, with ZeRO 3 one on each host.
    void copies() {
        const ParallelSpec& parallel = probe_.parallel;
        const int onHost = smallestHost_ / (parallel.tensor * parallel.context);
        const bool several = devices_ > smallestHost_ && onHost * parallel.context > 1 && onHost < parallel.data;
        for (const int shard : several ? std::vector{0, onHost} : std::vector{0}) {
            probe_.parallel.shard = shard;
            if (shard == 0 || copyCount(parallel) > 1) stages();
        }
        probe_.parallel.shard = 0;
    }

    /// Chunks, and microbatches that divide a replica's share.
    void stages() {
        const int layers = probe_.model.layers, pipeline = probe_.parallel.pipeline;
        const int global = probe_.batch.global, data = workers(probe_.parallel);
        if (layers < pipeline || data < 1 || global % data != 0) return;
        for (const int chunks : chunked())
            for (const int micro : divisors(global / data)) {
                if (pipeline * chunks > layers) continue;
                probe_.schedule.chunks = chunks;
                probe_.batch.micro = micro;
                balanced_.clear();
                memory();
            }
    }

    /// Layers divide over the pipeline once the embedding and the output count as a layer each.
    bool dividesWithEnds() const {
        const int layers = probe_.model.layers, pipeline = probe_.parallel.pipeline;
        return pipeline > 1 && layers % pipeline != 0 && (layers + 2) % pipeline == 0;
    }

    std::vector<int> chunked() const {
        const int layers = probe_.model.layers, pipeline = probe_.parallel.pipeline;
        if (pipeline == 1) return {1};
        if (layers % pipeline == 0) return divisors(layers / pipeline);
        std::vector<int> chunked{1, 2};
        if (dividesWithEnds())
            for (const int chunks : divisors((layers + 2) / pipeline))
                if (chunks > 2) chunked.push_back(chunks);
        return chunked;
    }

    void memory() {
        for (const int zero : zero_)
            for (const bool sequence : sequence_) {
                const bool fetches = offloadsParameters(probe_.memory);
                if (fetches ? zero < 3 : zero > 0 && replicaCount(probe_.parallel) == 1) continue;
                if (zero < 3 && probe_.parallel.shard > 0) continue;
                if (sequence && probe_.parallel.tensor == 1) continue;
                for (const RecomputeKind recompute : searchedRecompute) {
                    probe_.parallel.zero = zero;
                    probe_.parallel.sequence = sequence;
                    probe_.memory.recompute = recompute;
                    for (const bool partition : {false, true}) {
                        probe_.memory.partitionActivations = partition;
                        if (!partition || partitionsInputs(probe_.memory, probe_.parallel)) splits();
                    }
                    probe_.memory.partitionActivations = false;
                }
            }
    }

    void splits() {
        ScheduleSpec& schedule = probe_.schedule;
        schedule.stages.clear();
        if (!schedulable()) return;
        const std::vector<int> even = stageLayers(probe_), ends = splitWithEnds();
        if (!even.empty()) schedules();
        // Layers of one width are as good evenly, where they divide.
        if (!even.empty() && (even.size() == 1 || evenLayers(base_.model))) return;
        if (probe_.model.layers % probe_.parallel.pipeline == 0 || schedule.chunks <= 2) {
            schedule.stages = balanced();
            if (schedule.stages != even && schedule.stages != ends) schedules();
            schedule.stages.clear();
        }
        if (ends.empty()) return;
        schedule.countEnds = true;
        schedules();
        schedule.countEnds = false;
    }

    /// Layers of each stage where embedding and output count as a layer each; none where that divides no better.
    std::vector<int> splitWithEnds() const {
        if (!dividesWithEnds() || (probe_.model.layers + 2) % stageCount(probe_) != 0) return {};
        Layout counted = probe_;
        counted.schedule.countEnds = true;
        return stageLayers(counted);
    }

    /// ZeRO changes nothing of what a layer computes.
    const std::vector<int>& balanced() {
        std::vector<int>& stages = balanced_[layerWork()];
        if (!stages.empty()) return stages;
        const int count = stageCount(probe_);
        if (measurements_ == nullptr) return stages = sharedOut(probe_.model.layers, count);
        const std::vector<LayerCost>& costs = layerCosts();
        return stages = balancedSplit(costs, count, bandwidth_);
    }

    /// The cost of a layer depends on these and on the degrees.
    using LayerWork = std::tuple<int, bool, RecomputeKind, bool>;
    LayerWork layerWork() const {
        return {probe_.batch.micro, probe_.parallel.sequence, probe_.memory.recompute,
                probe_.memory.partitionActivations};
    }

    /// The ranks of the degrees that are tried.
    struct Placed {
        explicit Placed(const Layout& layout) : mesh(layout), groups(mesh) {}
        Mesh mesh;
        MeshGroups groups;
    };

    /// What each layer costs for the work that is tried, whatever the stages are.
    const std::vector<LayerCost>& layerCosts() {
        std::vector<LayerCost>& costs = layerCosts_[layerWork()];
        if (costs.empty()) {
            Layout layout = base_;
            apply(choiceOf(probe_), layout);
            if (!placed_) placed_ = std::make_shared<const Placed>(layout);
            costs = predict::layerCosts(layout, placed_->groups, *measurements_);
            bandwidth_ = partitionBandwidth(layout, placed_->mesh);
        }
        return costs;
    }

    /// What no schedule and no limit of one changes.
    bool schedulable() const {
        std::vector<Fault> faults = fixedFaults(probe_);
        checkTensor(probe_, faults);
        checkContext(probe_, faults);
        checkRecompute(probe_, faults);
        checkCopies(probe_, faults);
        return faults.empty();
    }

    bool legal() const {
        std::vector<Fault> faults;
        checkExpert(probe_, scheduleMethods(), faults);
        checkPrecision(probe_, scheduleMethods(), faults);
        checkParallel(probe_, scheduleMethods(), faults);
        checkExchange(probe_, scheduleMethods(), faults);
        checkCoded(probe_, faults);
        return faults.empty();
    }

    void schedules() {
        const int chunks = probe_.schedule.chunks;
        for (const ScheduleMethod& method : generatedMethods()) {
            if (chunks < method.minChunks || chunks > method.maxChunks) continue;
            if (!method.flushes && !asynchronous_) continue;
            if (probe_.parallel.pipeline == 1 && method.name != soloSchedule) continue;
            if (!hasSchedule(probe_, method.name)) continue;
            probe_.schedule.kind = method.name;
            for (const int limit : searchedLimits(method, scheduleShape(probe_))) {
                probe_.schedule.inFlight = limit;
                if (legal()) found_.push_back(choiceOf(probe_));
            }
            probe_.schedule.inFlight = 0;
        }
    }

    const Layout& base_;
    const Measurements* measurements_;
    Layout probe_, plain_;
    std::stop_token stop_;
    bool asynchronous_ = false;
    int devices_ = 0;
    int smallestHost_ = 0;
    /// The axes over which devices are spread, in the order in which they are tried.
    static constexpr std::array spread_{Axis::Pipeline, Axis::Data, Axis::Tensor, Axis::Context};
    PerAxis<std::vector<int>> degrees_;  ///< that are tried
    std::vector<int> zero_;
    std::vector<bool> sequence_;
    std::vector<ContextKind> methods_;
    std::map<LayerWork, std::vector<LayerCost>> layerCosts_;  ///< for the degrees that are tried
    std::shared_ptr<const Placed> placed_;                    ///< asked for by the partitioner alone
    double bandwidth_ = 0;                                    ///< of those degrees, for the partitioner
    std::map<LayerWork, std::vector<int>> balanced_;          ///< stages, for the chunks that are tried
    std::vector<Choice> found_;
};

}  // namespace

Choice choiceOf(const Layout& layout) {
    const ScheduleSpec& schedule = layout.schedule;
    return {layout.parallel,
            schedule.kind,
            schedule.chunks,
            layout.batch.micro,
            layout.memory.recompute,
            schedule.stages,
            schedule.countEnds && schedule.stages.empty() && layout.parallel.pipeline > 1,
            schedule.inFlight,
            partitionsInputs(layout.memory, layout.parallel)};
}

void apply(const Choice& choice, Layout& layout) {
    const ParallelSpec before = layout.parallel;
    layout.parallel = choice.parallel;
    layout.parallel.bucket = before.bucket;  // not chosen
    layout.parallel.allReduce = before.allReduce;
    layout.parallel.exchange = before.exchange;
    layout.schedule.kind = choice.kind;
    layout.schedule.chunks = choice.chunks;
    layout.schedule.stages = choice.stages;
    layout.schedule.countEnds = choice.countEnds;
    layout.schedule.inFlight = choice.inFlight;
    layout.batch.micro = choice.micro;
    layout.memory.recompute = choice.recompute;
    layout.memory.partitionActivations = choice.partition;
}

bool sameWork(const Choice& one, const Choice& other) {
    const auto work = [](const Choice& choice) {
        return std::tuple(degrees(choice.parallel), choice.parallel.contextKind, choice.chunks, choice.micro);
    };
    return work(one) == work(other);
}

std::vector<int> searchedLimits(const ScheduleMethod& method, const ScheduleShape& shape) {
    std::vector<int> limits{0};
    if (!method.takesLimit) return limits;
    if (shape.ranks > 1 && shape.microbatches > shape.ranks / 2) limits.push_back(shape.ranks / 2);
    if (shape.microbatches > shape.ranks) limits.push_back(2 * shape.ranks);
    return limits;
}

bool sameQuestion(const Layout& one, const Layout& other) {
    // What a run does with its losses, and how a step is stretched, changes no figure.
    const auto question = [](Layout layout) {
        layout.name = flushes(layout) ? "" : "asynchronous";
        apply(plainChoice(), layout);
        layout.run = {};
        layout.data = {};
        if (layout.cluster.pace) layout.cluster.pace->stepSeconds = 1;
        return layout;
    };
    return question(one) == question(other) && mostContext(one) == mostContext(other);
}

tl::expected<std::vector<Choice>, std::vector<Fault>> legalChoices(const Layout& base, std::stop_token stop,
                                                                   const Measurements* measurements) {
    Layout plain = base;
    apply(plainChoice(), plain);
    if (std::vector<Fault> faults = fixedFaults(plain); !faults.empty()) return tl::unexpected(std::move(faults));
    std::vector<Choice> choices = Enumeration(base, stop, measurements).run();
    if (!choices.empty() || stop.stop_requested()) return choices;
    for (const HostSpec& host : base.cluster.hosts) plain.parallel.data += host.devices;
    --plain.parallel.data;
    return tl::unexpected(check(plain, scheduleMethods()));
}

}  // namespace shardlab::predict
