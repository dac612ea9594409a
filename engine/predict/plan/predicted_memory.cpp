// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/predicted_memory.h"

#include "engine/layout/exchange.h"
#include "engine/predict/plan/layer_moments.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace shardlab::predict {
namespace {

struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// When each action of a rank runs; waits and the step bear the id of no action of their own.
std::unordered_map<ActionId, Span> spansOf(std::span<const Event> events, int rank) {
    std::unordered_map<ActionId, Span> spans;
    for (const Event& event : events)
        if (event.rank == rank && event.action != 0 && event.kind == eventKind(actionFromId(event.action).kind)) {
            // Waits cut an action into several events.
            const auto [span, first] = spans.try_emplace(event.action, Span{event.begin, event.end});
            if (!first) span->second.end = event.end;
        }
    return spans;
}

void add(MemoryCurve& curve, std::int64_t time, const MemoryBytes& bytes) {
    // Actions that take no time leave what is held after them, and what they needed counts all the same.
    if (curve.points.back().bytes != bytes) curve.points.push_back({time, bytes});
}

/// The layers of a compute action one after the other, each with the most that it needs for as long as it takes.
void addLayers(MemoryCurve& curve, const StepCosts& costs, const Action& action, const Span& span,
               const std::vector<LayerMoment>& layers) {
    double done = 0;
    const auto now = [&] {
        return span.begin + std::llround(std::min(done, 1.0) * static_cast<double>(span.end - span.begin));
    };
    for (const LayerMoment& layer : layers) {
        add(curve, now(), layer.fullest);
        done += shareOf(costs, action, layer.done);
        add(curve, now(), layer.after);
    }
}

MemoryCurve curveOf(const StepPlan& plan, std::span<const Event> step, int pipelineRank, int rank) {
    const Exchange exchange = plan.layout.parallel.exchange;
    const int replica = replicaNumber(plan.mesh, rank);
    if (exchange == Exchange::AsyncServer && replica == 0) {
        const auto ledger = memoryLedger(plan.layout, plan.lowered, plan.mesh);
        const RankMemory& server = ledger[static_cast<std::size_t>(rank)];  // it computes nothing
        return {{{0, server.bytes}}, server.peak};
    }
    const auto [history, byLayer] =
        layeredHistory(plan.layout, plan.lowered, pipelineRank, -1, exchange == Exchange::AllReduce ? -1 : replica);
    const auto spans = spansOf(step, rank);
    MemoryCurve curve{{{0, history.before}}, 0};
    std::int64_t now = 0;
    const auto& actions = plan.lowered.ranks[static_cast<std::size_t>(pipelineRank)];
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const auto found = spans.find(actionId(actions[i]));
        if (found == spans.end()) continue;
        const auto& [fullest, after] = history.actions[i];
        // Messages last beside the computation: only their begin is in the rank's own order. Copies to the host may
        // begin later than they are reached.
        if (!isHostCopy(actions[i].kind)) now = std::max(now, found->second.begin);
        if (byLayer[i].empty()) add(curve, now, fullest);
        else addLayers(curve, plan.costs, actions[i], {now, std::max(now, found->second.end)}, byLayer[i]);
        if (isCompute(actions[i].kind)) now = std::max(now, found->second.end);
        add(curve, now, after);
    }
    // The step's end waits for what is still on its way.
    for (const Event& event : step) {
        if (event.rank != rank || event.kind != EventKind::Step) continue;
        add(curve, std::max(now, event.end), history.updating);
        add(curve, std::max(now, event.end), history.before);
    }
    curve.peak = total(curve.highest()->bytes);
    return curve;
}

}  // namespace

std::vector<MemoryCurve> predictedMemory(const StepPlan& plan, std::span<const Event> step, int replica) {
    if (replica < 0) replica = replicaCount(plan.layout.parallel) - 1;
    std::vector<MemoryCurve> curves(plan.lowered.ranks.size());
    for (int rank = plan.mesh.ranks(); rank-- > 0;) {
        if (replicaNumber(plan.mesh, rank) != replica) continue;
        const int pipelineRank = plan.mesh.coordinate(rank, Axis::Pipeline);
        MemoryCurve& curve = curves[static_cast<std::size_t>(pipelineRank)];
        if (curve.points.empty()) curve = curveOf(plan, step, pipelineRank, rank);
    }
    return curves;
}

}  // namespace shardlab::predict
