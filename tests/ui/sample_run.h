// SPDX-License-Identifier: GPL-3.0-or-later
// Runs to show, for tests only: a layout's simulated step repeated with random jitter, with losses and memory that
// look like a run's. Nothing of this is ever shown to a user.
#pragma once

#include "engine/launch/job/run_header.h"
#include "engine/predict/plan/plan.h"
#include "ui/core/run_model.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>

namespace shardlab::sample {

inline Layout layout(int data, int pipeline, int microbatches) {
    Layout layout;
    layout.name = "sample";
    layout.parallel.data = data;
    layout.parallel.pipeline = pipeline;
    layout.model.layers = 2 * pipeline;
    layout.batch.micro = 1;
    layout.batch.global = microbatches * data;
    layout.cluster.hosts = {{"localhost", data * pipeline}};
    layout.cluster.pace = PaceSpec{};
    return layout;
}

inline Plan plan(const Layout& layout) {
    auto made = makePlan(layout);
    if (!made) throw std::runtime_error("sample layout has a fault: " + made.error().front().what.english());
    return *made;
}

/// A monotone map of one step's time onto itself, stretched here and squeezed there.
class Jitter {
public:
    Jitter(std::int64_t length, double amount, std::mt19937_64& random) : length_(std::max<std::int64_t>(length, 1)) {
        std::uniform_real_distribution<double> factor(1 - amount, 1 + amount);
        for (std::size_t i = 1; i < knots_.size(); ++i)
            knots_[i] = knots_[i - 1] + factor(random) / static_cast<double>(knots_.size() - 1);
    }
    std::int64_t operator()(std::int64_t time) const {
        const double at =
            static_cast<double>(time) / static_cast<double>(length_) * static_cast<double>(knots_.size() - 1);
        const auto knot = std::min(static_cast<std::size_t>(std::max(at, 0.0)), knots_.size() - 2);
        const double value = knots_[knot] + (at - static_cast<double>(knot)) * (knots_[knot + 1] - knots_[knot]);
        return static_cast<std::int64_t>(value * static_cast<double>(length_));
    }

private:
    std::int64_t length_;
    std::array<double, 33> knots_{};
};

/// Events in the order ranks would have recorded them: spans at their end, counters in between.
inline std::vector<Event> events(const Plan& plan, int steps, std::uint64_t seed, double jitter = 0.15) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 1);
    std::vector<Event> all;
    const std::int64_t length = static_cast<std::int64_t>(plan.simulation.stepSeconds * 1e9);
    std::int64_t origin = 300'000'000;
    const int ranks = plan.mesh.ranks();
    const auto counter = [&](EventKind kind, int rank, std::int64_t time, int step, double value, std::int64_t bytes) {
        all.push_back({time, time, bytes, value, 0, step, static_cast<std::int16_t>(rank), Lane::Host, kind});
    };
    for (int rank = 0; rank < ranks; ++rank) {
        all.push_back({0, origin, 0, 0, 0, -1, static_cast<std::int16_t>(rank), Lane::Host, EventKind::Setup});
        const MemoryBytes& memory = plan.memory[static_cast<std::size_t>(rank)].bytes;
        for (const MemoryCategory kind : {MemoryCategory::Parameters, MemoryCategory::Gradients,
                                          MemoryCategory::Optimizer, MemoryCategory::Buffers})
            counter(memoryKind(kind), rank, origin, -1, 0, memory[static_cast<std::size_t>(kind)]);
    }
    for (int step = 0; step < steps; ++step) {
        const Jitter map(length, jitter, random);
        std::vector<int> inFlight(static_cast<std::size_t>(ranks), 0);
        std::vector<Event> stepEvents;
        for (Event event : plan.simulation.events) {
            event.begin = origin + map(event.begin);
            event.end = origin + map(event.end);
            event.step = step;
            stepEvents.push_back(event);
        }
        std::stable_sort(stepEvents.begin(), stepEvents.end(),
                         [](const Event& a, const Event& b) { return a.end < b.end; });
        for (const Event& event : stepEvents) {
            all.push_back(event);
            if (event.kind != EventKind::Forward && event.kind != EventKind::Backward) continue;
            int& count = inFlight[static_cast<std::size_t>(event.rank)];
            count += event.kind == EventKind::Forward ? 1 : -1;
            const RankMemory& memory = plan.memory[static_cast<std::size_t>(event.rank)];
            const std::int64_t each = memory.bytes[static_cast<std::size_t>(MemoryCategory::Activations)] /
                                      std::max(1, memory.microbatchesInFlight);
            counter(memoryKind(MemoryCategory::Activations), event.rank, event.end, step, 0, each * count);
            if (noise(random) > 2.2) counter(EventKind::PaceOverrun, event.rank, event.end, step, 0.002, 0);
        }
        const std::int64_t end = origin + map(length);
        for (int rank = 0; rank < ranks; ++rank)
            counter(EventKind::MemoryPeak, rank, end, step, 0,
                    static_cast<std::int64_t>(0.985 *
                                              static_cast<double>(plan.memory[static_cast<std::size_t>(rank)].peak)));
        const int teller = ranks - 1;
        const double loss = 1.6 + 4.0 * std::exp(-step / 25.0) + 0.03 * noise(random);
        counter(EventKind::Loss, teller, end, step, loss, 0);
        counter(EventKind::GradientNorm, teller, end, step, 0.8 + 0.1 * std::abs(noise(random)), 0);
        counter(EventKind::TokensPerSecond, teller, end, step,
                static_cast<double>(tokensPerStep(plan.layout)) / (static_cast<double>(end - origin) * 1e-9), 0);
        if (step % 5 == 4) counter(EventKind::ValidationLoss, teller, end + 1000, step, loss + 0.08, 0);
        origin = end + length / 50;
    }
    return all;
}

inline Event command(std::int64_t time, Command what) {
    return {time, time, 0, static_cast<double>(what), 0, -1, 0, Lane::Host, EventKind::Command};
}

/// A model with a whole run in it, in batches as they would arrive.
inline void fill(RunModel& model, const Plan& plan, int steps, std::uint64_t seed) {
    model.begin(headerOf(plan), plan.simulation.events);
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank)
        model.report().setRank({rank, "localhost", 4200 + rank, plan.mesh.label(rank), {}});
    model.report().add(LogLine{50'000'000, -1, LogLevel::Info, std::to_string(plan.mesh.ranks()) + " ranks joined"});
    const std::vector<Event> all = events(plan, steps, seed);
    constexpr std::size_t batch = 4096;
    for (std::size_t at = 0; at < all.size(); at += batch)
        model.append(std::span(all).subspan(at, std::min(batch, all.size() - at)));
}

}  // namespace shardlab::sample
