// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/critical_path.h"

#include <algorithm>

namespace shardlab::predict {
namespace {

using Node = StepGraph::Node;

double length(const Node& node) { return node.end - node.begin; }

/// The slack of each node, found from the end of the step back: the latest end that leaves the length of the step as it
/// is, less the present end.
std::vector<double> slackOf(const StepGraph& graph) {
    std::vector<double> latest(graph.nodes.size(), graph.stepSeconds);
    for (std::size_t i = graph.nodes.size(); i-- > 0;)
        for (const int earlier : graph.nodes[i].after) {
            double& end = latest[static_cast<std::size_t>(earlier)];
            end = std::min(end, latest[i] - length(graph.nodes[i]));
        }
    for (std::size_t i = 0; i < latest.size(); ++i) latest[i] = std::max(0.0, latest[i] - graph.nodes[i].end);
    return latest;
}

std::vector<int> pathOf(const StepGraph& graph) {
    if (graph.nodes.empty()) return {};
    std::vector<int> path;
    auto node = static_cast<int>(std::ranges::max_element(graph.nodes, {}, &Node::end) - graph.nodes.begin());
    while (node >= 0) {
        path.push_back(node);
        // A node begins when the last of those before it ends; what takes no time is passed by.
        int last = -1;
        for (const int earlier : graph.nodes[static_cast<std::size_t>(node)].after)
            if (last < 0 ||
                graph.nodes[static_cast<std::size_t>(earlier)].end > graph.nodes[static_cast<std::size_t>(last)].end)
                last = earlier;
        node = last;
    }
    std::ranges::reverse(path);
    return path;
}

}  // namespace

CriticalPath::Share CriticalPath::sumOf(std::span<const Share> shares) {
    Share sum;
    for (const Share& share : shares) {
        sum.compute += share.compute;
        sum.tensor += share.tensor;
        sum.communication += share.communication;
    }
    return sum;
}

CriticalPath criticalPath(const StepGraph& graph) {
    CriticalPath path{pathOf(graph), slackOf(graph), {}, {}};
    int ranks = 0;
    for (const Node& node : graph.nodes) ranks = std::max(ranks, node.rank + 1);
    path.onPath.resize(static_cast<std::size_t>(ranks));
    path.ofRank.resize(static_cast<std::size_t>(ranks));
    for (const int index : path.nodes) {
        const Node& node = graph.nodes[static_cast<std::size_t>(index)];
        CriticalPath::Share& share = path.onPath[static_cast<std::size_t>(node.rank)];
        (isWork(node.action.kind) ? share.compute : share.communication) += length(node) - node.tensor;
        share.tensor += node.tensor;
        path.slack[static_cast<std::size_t>(index)] = 0;
    }
    for (const Node& node : graph.nodes) {
        CriticalPath::Time& time = path.ofRank[static_cast<std::size_t>(node.rank)];
        time.tensor += node.tensor;
        if (isWork(node.action.kind)) time.computing += length(node) - node.tensor;
        else if (!isSend(node.action.kind) && !isHostCopy(node.action.kind)) time.reducing += length(node);
    }
    for (CriticalPath::Time& time : path.ofRank)
        time.waiting = std::max(0.0, graph.stepSeconds - time.computing - time.tensor - time.reducing);
    return path;
}

}  // namespace shardlab::predict
