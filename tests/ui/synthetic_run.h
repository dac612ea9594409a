// SPDX-License-Identifier: GPL-3.0-or-later
// A run that was never trained: a plan's predicted step again and again with jitter, with losses, memory and steps.
#pragma once

#include "engine/predict/plan/plan.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace shardlab::test {

/// Ascending by begin.
inline std::vector<Event> syntheticRun(const Plan& plan, int steps, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> jitter(0.97, 1.0);
    const auto length = static_cast<std::int64_t>(plan.simulation.stepSeconds * 1e9);
    const std::int64_t pause = length / 40;
    std::vector<Event> events;
    const auto counter = [&](EventKind kind, int step, int rank, std::int64_t time, double value, std::int64_t bytes) {
        events.push_back({.begin = time,
                          .end = time,
                          .bytes = bytes,
                          .value = value,
                          .step = step,
                          .rank = static_cast<std::int16_t>(rank),
                          .lane = Lane::Host,
                          .kind = kind});
    };
    for (int step = 0; step < steps; ++step) {
        const std::int64_t origin = pause + step * (length + pause);
        for (Event event : plan.simulation.events) {
            const auto duration =
                static_cast<std::int64_t>(static_cast<double>(event.end - event.begin) * jitter(random));
            event.begin += origin;
            event.end = event.begin + duration;
            event.step = step;
            events.push_back(event);
        }
        for (const RankMemory& memory : plan.memory) {
            events.push_back({.begin = origin,
                              .end = origin + length,
                              .step = step,
                              .rank = static_cast<std::int16_t>(memory.rank),
                              .lane = Lane::Host,
                              .kind = EventKind::Step});
            for (int category = 0; category < memoryCategoryCount; ++category)
                counter(memoryKind(static_cast<MemoryCategory>(category)), step, memory.rank, origin + length / 2, 0,
                        memory.bytes[static_cast<std::size_t>(category)]);
            counter(EventKind::MemoryPeak, step, memory.rank, origin + length, 0, memory.peak);
        }
        const double loss = 0.7 + 4.8 * std::exp(-step / 12.0) + 0.05 * std::sin(step * 1.7);
        counter(EventKind::Loss, step, 0, origin + length, loss, 0);
        counter(EventKind::GradientNorm, step, 0, origin + length, 0.5 + 2 * std::exp(-step / 20.0), 0);
        counter(EventKind::TokensPerSecond, step, 0, origin + length,
                plan.tokensPerSecond / plan.costs.stretch * jitter(random), 0);
        if (step % 10 == 9) counter(EventKind::ValidationLoss, step, 0, origin + length, loss + 0.1, 0);
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.begin < b.begin; });
    return events;
}

inline std::vector<RankRecord> syntheticRanks(const Plan& plan) {
    std::vector<RankRecord> records;
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank)
        records.push_back({rank, plan.mesh.hostName(rank), 4000 + rank, plan.mesh.label(rank), {}});
    return records;
}

}  // namespace shardlab::test
