// SPDX-License-Identifier: Apache-2.0
// How long one step of a large pipeline takes to generate, lower and simulate: 64 ranks, 4 chunks, 1 024 microbatches,
// or as given; processor time, best of five. simulate_large [ranks chunks microbatches]
#include "engine/base/units.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/simulate.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/wings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>

using namespace shardlab::test;

namespace {

template <class Work>
double best(Work work) {
    double least = 1e9;
    for (int round = 0; round < 5; ++round) {
        const std::clock_t begin = std::clock();  // of this process: others do not disturb it
        work();
        least = std::min(least, double(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return least;
}

}  // namespace

int main(int argc, char** argv) {
    std::array<int, 3> size{64, 4, 1024};
    for (int i = 1; i < argc && i <= 3; ++i) size[static_cast<std::size_t>(i - 1)] = std::max(1, std::atoi(argv[i]));
    const auto& [ranks, chunks, microbatches] = size;
    Layout layout;
    layout.model = {ModelKind::Gpt, ranks * chunks, 12288, 96, 2048, 50257, 0};
    layout.cluster.hosts.clear();
    for (int host = 0; host < (ranks + 7) / 8; ++host) layout.cluster.hosts.push_back({fmt::format("node{}", host), 8});
    layout.cluster.pace = PaceSpec{"h100-sxm", 1};
    layout.parallel.data = 1;
    layout.parallel.pipeline = ranks;
    layout.schedule.kind = chunks > 1 ? "interleaved-1f1b" : "1f1b";
    layout.schedule.chunks = chunks;
    layout.batch = {microbatches, 1};
    const Mesh mesh(layout);
    const ScheduleMethod& method = *findScheduleMethod(layout.schedule.kind);
    Schedule compute, lowered;
    const double generating = best([&] { compute = method.generate(scheduleShape(layout)); });
    const double lowering = best([&] { lowered = lower(compute, lowerOptions(layout)); });
    const StepCosts costs = stepCosts(layout, mesh, rankDevice(layout, mesh), lowered.rankOfStage);
    std::size_t actions = 0;
    for (const auto& list : lowered.ranks) actions += list.size();
    Simulation step;
    const double simulating = best([&] { step = simulateWithoutEvents(lowered, costs); });
    const double drawing = best([&] { step = simulate(lowered, costs, mesh); });
    fmt::print("{}, p {}, v {}, m {}: {} actions\n", layout.schedule.kind, ranks, chunks, microbatches, actions);
    fmt::print("  generated in        {}\n  lowered in          {}\n", formatSeconds(generating),
               formatSeconds(lowering));
    fmt::print("  simulated in        {}  ({:.1f} ns an action)\n", formatSeconds(simulating),
               simulating / static_cast<double>(actions) * 1e9);
    fmt::print("  with {} events in {}\n", step.events.size(), formatSeconds(drawing));
    fmt::print("  step {}, bubble {}\n", formatSeconds(step.stepSeconds), formatPercent(step.bubble));
}
