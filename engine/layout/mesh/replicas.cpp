// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/mesh/replicas.h"

namespace shardlab::layout {
namespace {

/// The ranks that differ from `rank` along the two axes only, in the order of both coordinates.
std::vector<int> ranksAcross(const Mesh& mesh, int rank, Axis outer, Axis inner) {
    std::vector<int> ranks;
    for (const int first : mesh.group(rank, outer))
        for (const int member : mesh.group(first, inner)) ranks.push_back(member);
    return ranks;
}

/// The ranks of sameWeights() in bundles of `size` neighbouring replicas: the bundle that `rank` is in.
std::vector<int> neighbours(const Mesh& mesh, int rank, int size) {
    const std::vector<int> all = sameWeights(mesh, rank);
    const auto first = all.begin() + replicaNumber(mesh, rank) / size * size;
    return {first, first + size};
}

}  // namespace

int replicaNumber(const Mesh& mesh, int rank) {
    return mesh.coordinate(rank, Axis::Data) * mesh.size(Axis::Context) + mesh.coordinate(rank, Axis::Context);
}

std::vector<int> replicaRanks(const Mesh& mesh, int rank) {
    return ranksAcross(mesh, rank, Axis::Pipeline, Axis::Tensor);
}

std::vector<int> sameWeights(const Mesh& mesh, int rank) { return ranksAcross(mesh, rank, Axis::Data, Axis::Context); }

std::vector<int> sameCopy(const Mesh& mesh, int rank) {
    return neighbours(mesh, rank, mesh.size(Axis::Data) * mesh.size(Axis::Context) / mesh.copies());
}

std::vector<int> samePart(const Mesh& mesh, int rank) {
    const std::vector<int> all = sameWeights(mesh, rank);
    const std::size_t size = all.size() / static_cast<std::size_t>(mesh.copies());
    std::vector<int> ranks;
    for (std::size_t i = static_cast<std::size_t>(replicaNumber(mesh, rank)) % size; i < all.size(); i += size)
        ranks.push_back(all[i]);
    return ranks;
}

std::vector<int> expertExchange(const Mesh& mesh, int rank) {
    return neighbours(mesh, rank, mesh.size(Axis::Expert) / mesh.folds());
}

std::vector<int> sameExperts(const Mesh& mesh, int rank) {
    std::vector<int> ranks;
    const int own = mesh.coordinate(rank, Axis::Expert);
    for (const int other : sameCopy(mesh, rank))
        if (mesh.coordinate(other, Axis::Expert) == own) ranks.push_back(other);
    return ranks;
}

}  // namespace shardlab::layout
