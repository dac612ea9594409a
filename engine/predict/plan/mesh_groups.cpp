// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/mesh_groups.h"

#include "engine/layout/mesh/replicas.h"

#include <algorithm>
#include <utility>

namespace shardlab::predict {
namespace {

/// Groups between which rows travel wait for each other at a reduction: one that spans hosts slows all of them.
bool rowsCrossHosts(const Mesh& mesh) {
    const int spread = mesh.size(Axis::Expert) / mesh.folds();
    if (spread == 1) return false;
    for (const std::vector<int>& group : mesh.groups(Axis::Expert))
        for (auto first = group.begin(); first != group.end(); first += spread)
            if (mesh.host(*first) != mesh.host(*(first + spread - 1))) return true;
    return false;
}

/// World ranks of pipeline rank `p`, one a replica.
std::vector<int> replicaRanksOf(const Mesh& mesh, int p) {
    Coordinates place{};
    place[Axis::Pipeline] = p;
    return sameWeights(mesh, mesh.rank(place));
}

/// The slowest of groups that wait for each other spans most hosts; among several that do, it is an uneven one.
Group slowestOf(const Mesh& mesh, const std::vector<std::vector<int>>& groups) {
    std::vector<Group> all;
    for (const std::vector<int>& ranks : groups) all.push_back(groupOf(mesh, ranks));
    return *std::ranges::max_element(all, {}, [](const Group& group) { return std::pair(group.hosts, !group.even); });
}

/// `ranks` are the replicas of one pipeline rank, in the order of their copies.
DataGroups dataGroups(const Mesh& mesh, const std::vector<int>& ranks) {
    const auto copies = static_cast<std::size_t>(mesh.copies()), size = ranks.size() / copies;
    std::vector<std::vector<int>> whole(copies), holders(copies), parts(copies > 1 ? size : 1);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::size_t copy = i / size;
        whole[copy].push_back(ranks[i]);
        if (mesh.coordinate(ranks[i], Axis::Expert) == mesh.coordinate(whole[copy].front(), Axis::Expert))
            holders[copy].push_back(ranks[i]);
        if (copies > 1 || i == 0) parts[i % size].push_back(ranks[i]);
    }
    return {slowestOf(mesh, whole), slowestOf(mesh, holders), slowestOf(mesh, parts)};
}

std::vector<Replicas> allReplicas(const Mesh& mesh) {
    std::vector<Replicas> all;
    for (int p = 0; p < mesh.size(Axis::Pipeline); ++p) {
        const std::vector<int> ranks = replicaRanksOf(mesh, p);
        Replicas& each = all.emplace_back(groupOf(mesh, ranks), dataGroups(mesh, ranks));
        each.hosts.reserve(ranks.size());
        for (const int rank : ranks) each.hosts.push_back(mesh.host(rank));
    }
    return all;
}

}  // namespace

MeshGroups::MeshGroups(const Mesh& of)
    : mesh(of), replicas(allReplicas(of)), replica(groupOf(of, replicaRanks(of, 0))),
      tensor(groupOf(of, of.group(0, Axis::Tensor))), context(groupOf(of, of.group(0, Axis::Context))),
      expert(groupOf(of, of.group(0, Axis::Expert))), expertExchange(groupOf(of, layout::expertExchange(of, 0))),
      rowsCrossHosts(predict::rowsCrossHosts(of)) {}

}  // namespace shardlab::predict
