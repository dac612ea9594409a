// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/mesh/replicas.h"

namespace shardlab::layout {

int replicaNumber(const Mesh& mesh, int rank) {
    return mesh.coordinate(rank, Axis::Data) * mesh.size(Axis::Context) + mesh.coordinate(rank, Axis::Context);
}

std::vector<int> sameWeights(const Mesh& mesh, int rank) {
    std::vector<int> ranks;
    for (const int replica : mesh.group(rank, Axis::Data))
        for (const int member : mesh.group(replica, Axis::Context)) ranks.push_back(member);
    return ranks;
}

std::vector<int> sameCopy(const Mesh& mesh, int rank) {
    const std::vector<int> all = sameWeights(mesh, rank);
    const int size = static_cast<int>(all.size()) / mesh.copies();
    const auto first = all.begin() + replicaNumber(mesh, rank) / size * size;
    return {first, first + size};
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
    const std::vector<int> all = sameWeights(mesh, rank);
    const int size = mesh.size(Axis::Expert) / mesh.folds();
    const auto first = all.begin() + replicaNumber(mesh, rank) / size * size;
    return {first, first + size};
}

std::vector<int> sameExperts(const Mesh& mesh, int rank) {
    std::vector<int> ranks;
    const int own = mesh.coordinate(rank, Axis::Expert);
    for (const int other : sameCopy(mesh, rank))
        if (mesh.coordinate(other, Axis::Expert) == own) ranks.push_back(other);
    return ranks;
}

}  // namespace shardlab::layout
