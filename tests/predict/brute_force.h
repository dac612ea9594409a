// SPDX-License-Identifier: Apache-2.0
// All layouts that the search could try, each checked and planned by itself: what the search must find.
#pragma once

#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/search/partition_layout.h"
#include "engine/predict/search/search.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>

namespace shardlab::test {

/// ZeRO, data, pipeline, tensor, sequence, chunks, micro, schedule, its limit, whether its stages are listed,
/// recomputation, whether inputs of segments lie in parts, data ranks that share a copy, whether the ends count as
/// layers.
using Key = std::tuple<int, int, int, int, bool, int, int, std::string, int, bool, RecomputeKind, bool, int, bool>;

inline Key keyOf(const Choice& choice) {
    return {choice.parallel.zero,
            choice.parallel.data,
            choice.parallel.pipeline,
            choice.parallel.tensor,
            choice.parallel.sequence,
            choice.chunks,
            choice.micro,
            choice.kind,
            choice.inFlight,
            !choice.stages.empty(),
            choice.recompute,
            choice.partition,
            choice.parallel.shard,
            choice.countEnds};
}

inline Layout withChoice(Layout layout, const Choice& choice) {
    apply(choice, layout);
    return layout;
}

/// A small model on a few hosts, paced or not, on a device that not every candidate fits.
inline Layout randomLayout(std::mt19937& random) {
    const auto from = [&](std::initializer_list<int> values) { return values.begin()[random() % values.size()]; };
    Layout layout;
    layout.model.kind = named(from({0, 1}) ? "gpt" : "mlp");
    layout.model.layers = from({2, 4, 6, 8, 10, 12});
    layout.model.heads = from({1, 2, 4});
    layout.model.hidden = layout.model.heads * from({16, 64, 512, 2048});
    layout.model.sequence = from({16, 64, 1024});
    layout.model.vocabulary = from({64, 256, 32000});
    layout.batch.global = from({6, 8, 12, 16});
    layout.optimizer.kind = named(from({0, 1}) ? "adamw" : "sgd");
    layout.optimizer.clip = from({0, 1});
    if (layout.optimizer.clip == 0 && from({0, 1})) layout.schedule.kind = "pipedream";
    layout.cluster.hosts = {{"a", from({1, 2, 4})}};
    if (from({0, 1})) layout.cluster.hosts.push_back({"b", from({1, 2, 4})});
    if (from({0, 0, 1}))
        for (int layer = 0; layer < layout.model.layers; ++layer)
            layout.model.feedForward.push_back(layout.model.hidden * from({1, 4, 9}));
    if (from({0, 1, 1})) layout.cluster.pace = PaceSpec{from({0, 1}) ? "h100-sxm" : "a100-sxm", 0.25};
    return layout;
}

/// check() and makePlan() over everything that the numbers could be.
inline std::map<Key, Plan> bruteForce(const Layout& base) {
    std::map<Key, Plan> plans;
    int devices = 0, smallestHost = base.cluster.hosts.front().devices;
    for (const HostSpec& host : base.cluster.hosts) {
        devices += host.devices;
        smallestHost = std::min(smallestHost, host.devices);
    }
    const auto attempt = [&](int zero, int data, int pipeline, int tensor, bool sequence, RecomputeKind recompute,
                             bool partition, int shard) {
        for (int chunks = 1; chunks <= base.model.layers; ++chunks)
            for (int micro = 1; micro <= base.batch.global; ++micro)
                for (const ScheduleMethod& method : generatedMethods()) {
                    if (!method.flushes && flushes(base)) continue;  // trains otherwise than the base
                    if (pipeline == 1 && (method.name != "1f1b" || chunks > 1)) continue;  // waits for nobody
                    Layout layout = base;
                    layout.parallel.zero = zero;
                    layout.parallel.data = data;
                    layout.parallel.shard = shard;
                    layout.parallel.pipeline = pipeline;
                    layout.parallel.tensor = tensor;
                    layout.parallel.sequence = sequence;
                    layout.memory.recompute = recompute;
                    layout.memory.partitionActivations = partition;
                    layout.schedule = ScheduleSpec{};
                    layout.schedule.kind = method.name;
                    layout.schedule.chunks = chunks;
                    layout.batch.micro = micro;
                    if (rankCount(layout) != devices || base.batch.global % (data * micro) != 0) continue;
                    const bool divides = base.model.layers % pipeline == 0;
                    const bool mixed = !base.model.feedForward.empty() && pipeline * chunks > 1;
                    std::vector<std::vector<int>> splits{{}};
                    if (divides ? mixed && base.model.layers % (pipeline * chunks) == 0 : chunks <= 2)
                        splits.push_back(balancedStages(layout, Mesh(layout)));
                    Layout counted = layout;
                    counted.schedule.countEnds = true;
                    const bool ends = pipeline > 1 && !divides && pipeline * chunks <= base.model.layers &&
                                      (base.model.layers + 2) % (pipeline * chunks) == 0;
                    if (ends) splits.push_back(stageLayers(counted));
                    for (std::size_t i = 0; i < splits.size(); ++i)
                        for (const int limit : searchedLimits(method, scheduleShape(layout))) {
                            const bool byEnds = ends && i + 1 == splits.size();
                            if (ends && !byEnds && splits[i] == splits.back()) continue;
                            const std::vector<int> split = byEnds ? std::vector<int>{} : splits[i];
                            layout.schedule.countEnds = byEnds;
                            layout.schedule.stages = split;
                            layout.schedule.inFlight = limit;
                            if (!split.empty() && divides && split.front() * pipeline * chunks == base.model.layers &&
                                std::ranges::count(split, split.front()) == std::ssize(split))
                                continue;  // the even one again
                            if (auto plan = makePlan(layout))
                                plans.emplace(Key{zero, data, pipeline, tensor, sequence, chunks, micro,
                                                  layout.schedule.kind, limit, !split.empty(), recompute, partition,
                                                  shard, byEnds},
                                              std::move(*plan));
                        }
                }
    };
    for (int data = 1; data <= devices; ++data)
        for (int pipeline = 1; pipeline <= devices; ++pipeline)
            for (int tensor = 1; tensor <= smallestHost; ++tensor)
                for (const bool sequence : {false, true})
                    for (const RecomputeKind recompute : searchedRecompute)
                        for (const int zero : {0, 1, 2, 3})
                            for (const bool partition : {false, true}) {
                                const bool parts = tensor > 1 && !sequence && recompute == RecomputeKind::Full;
                                if (partition && !parts) continue;
                                attempt(zero, data, pipeline, tensor, sequence, recompute, partition, 0);
                                // A copy on each of several hosts.
                                const int onHost = smallestHost / tensor;
                                if (zero == 3 && base.cluster.hosts.size() > 1 && onHost > 1 && onHost < data &&
                                    data % onHost == 0)
                                    attempt(zero, data, pipeline, tensor, sequence, recompute, partition, onHost);
                            }
    return plans;
}

inline std::int64_t peakOf(const Plan& plan) { return neededBytes(plan.layout, neediest(plan.layout, plan.memory)); }

inline std::ptrdiff_t recomputed(const Key& key) {
    return std::ranges::find(searchedRecompute, std::get<10>(key)) - searchedRecompute.begin();
}

/// `one` and `other` differ in nothing but what saves memory.
inline bool sameWork(Key one, const Key& other) {
    std::get<0>(one) = std::get<0>(other);
    std::get<4>(one) = std::get<4>(other);
    std::get<10>(one) = std::get<10>(other);
    std::get<11>(one) = std::get<11>(other);
    return one == other;
}

/// Degrees, chunks and microbatch alone.
inline auto workOf(const Key& key) {
    return std::tuple(std::get<1>(key), std::get<2>(key), std::get<3>(key), std::get<5>(key), std::get<6>(key),
                      std::get<12>(key));
}

/// Takes out, of what fits, what saves more than another that fits and costs time for it; of what does not, what saves
/// no more than another that does not and needs no less, and then what needs more than another. False where one fits
/// that saves no more, by methods that take no memory themselves, than another that does not.
inline bool eraseNeedless(std::map<Key, Plan>& plans) {
    const auto fits = [](const Plan& plan) { return plan.device.holds(peakOf(plan)); };
    std::vector<Key> needless;
    for (const auto& [key, plan] : plans) {
        const int zero = std::get<0>(key);
        for (const auto& [other, otherPlan] : plans) {
            if (other == key || !sameWork(other, key)) continue;
            const int otherZero = std::get<0>(other);
            const bool sameStages = otherPlan.layout.schedule.stages == plan.layout.schedule.stages;
            const bool quicker = fits(otherPlan) && sameStages && std::get<4>(other) == std::get<4>(key) &&
                                 recomputed(other) <= recomputed(key) && std::get<11>(other) <= std::get<11>(key) &&
                                 (otherZero == zero || (otherZero > 0 && otherZero < zero));
            const bool saves = !fits(otherPlan) && otherZero >= zero && std::get<4>(other) >= std::get<4>(key) &&
                               recomputed(other) >= recomputed(key) && std::get<11>(other) >= std::get<11>(key);
            const bool forNothing =
                (otherZero == zero || otherZero <= 1) &&  // ZeRO 2 and 3 need room, and so does recomputation
                recomputed(other) == recomputed(key) && sameStages;
            if (saves && forNothing && fits(plan)) return false;
            const bool standsFor = saves && (forNothing || peakOf(otherPlan) <= peakOf(plan));
            if (!(fits(plan) ? quicker : standsFor)) continue;
            needless.push_back(key);
            break;
        }
    }
    for (const Key& key : needless) plans.erase(key);
    std::map<decltype(workOf(Key{})), std::int64_t> nearest;
    for (const auto& [key, plan] : plans) {
        if (fits(plan)) continue;
        const auto [entry, added] = nearest.try_emplace(workOf(key), peakOf(plan));
        entry->second = std::min(entry->second, peakOf(plan));
    }
    std::erase_if(plans, [&](const auto& entry) {
        return !fits(entry.second) && peakOf(entry.second) > nearest.at(workOf(entry.first));
    });
    return true;
}

}  // namespace shardlab::test
