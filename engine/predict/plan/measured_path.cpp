// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/measured_path.h"

#include <algorithm>

namespace shardlab::predict {
namespace {

/// For each node the recorded node that ended last among the node itself and, where it was not recorded, the nodes it
/// waited for; −1 where there is none.
std::vector<int> lastRecorded(const StepGraph& graph, std::span<const std::optional<MeasuredSpan>> times) {
    std::vector<int> last(graph.nodes.size(), -1);
    for (std::size_t i = 0; i < last.size(); ++i) {
        if (times[i]) {
            last[i] = static_cast<int>(i);
            continue;
        }
        for (const int earlier : graph.nodes[i].after) {
            const int known = last[static_cast<std::size_t>(earlier)];
            if (known >= 0 && (last[i] < 0 || times[static_cast<std::size_t>(known)]->end >
                                                  times[static_cast<std::size_t>(last[i])]->end))
                last[i] = known;
        }
    }
    return last;
}

/// Seconds of [begin, end) in which the action's tensor collectives lie.
double tensorWithin(const MeasuredSpan& time, double begin, double end) {
    double sum = 0;
    for (const auto& [from, to] : time.tensor) {
        begin = std::max(begin, from);
        const double until = std::min(end, to);
        if (until <= begin) continue;
        sum += until - begin;
        begin = until;  // no moment twice
    }
    return sum;
}

}  // namespace

MeasuredPath measuredPath(const StepGraph& graph, std::span<const std::optional<MeasuredSpan>> times) {
    MeasuredPath path;
    int ranks = 0;
    for (const StepGraph::Node& node : graph.nodes) ranks = std::max(ranks, node.rank + 1);
    path.onPath.resize(static_cast<std::size_t>(ranks));

    const std::vector<int> recorded = lastRecorded(graph, times);
    int at = -1;
    for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i] && (at < 0 || times[i]->end > times[static_cast<std::size_t>(at)]->end)) at = static_cast<int>(i);
    double until = at < 0 ? 0 : times[static_cast<std::size_t>(at)]->end;
    while (at >= 0) {
        const MeasuredSpan& time = *times[static_cast<std::size_t>(at)];
        MeasuredPath::Link link{at, std::min(time.begin, until), until, 0};
        int before = -1;
        for (const int earlier : graph.nodes[static_cast<std::size_t>(at)].after) {
            const int known = recorded[static_cast<std::size_t>(earlier)];
            if (known >= 0 && (before < 0 || times[static_cast<std::size_t>(known)]->end >
                                                 times[static_cast<std::size_t>(before)]->end))
                before = known;
        }
        until = link.begin;
        if (before >= 0) until = std::min(until, times[static_cast<std::size_t>(before)]->end);
        link.gap = link.begin - until;
        path.links.push_back(link);
        at = before;
    }
    std::ranges::reverse(path.links);
    if (path.links.empty()) return path;
    path.seconds = path.links.back().end - path.links.front().begin;
    for (const MeasuredPath::Link& link : path.links) {
        const StepGraph::Node& node = graph.nodes[static_cast<std::size_t>(link.node)];
        CriticalPath::Share& share = path.onPath[static_cast<std::size_t>(node.rank)];
        const double tensor = tensorWithin(*times[static_cast<std::size_t>(link.node)], link.begin, link.end);
        (isWork(node.action.kind) ? share.compute : share.communication) += link.end - link.begin - tensor;
        share.tensor += tensor;
        path.gaps += link.gap;
    }
    return path;
}

}  // namespace shardlab::predict
