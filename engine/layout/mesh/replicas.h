// SPDX-License-Identifier: Apache-2.0
// A replica is what holds each weight once (mesh.h: replicaRanks). There is one for each member of the data and of the
// context axis: those of a context group read parts of the same samples, those of a data group other samples.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/mesh.h"

#include <vector>

namespace shardlab {

/// data × context: over how many gradients are summed, and what ZeRO shares out.
inline int replicaCount(const ParallelSpec& parallel) { return parallel.data * parallel.context; }

/// Of the replica that `rank` belongs to, from 0.
int replicaNumber(const Mesh& mesh, int rank);
/// The ranks that hold the same weights as `rank`, itself included, by replicaNumber; of experts, sameExperts() alone
/// do.
std::vector<int> sameWeights(const Mesh& mesh, int rank);

/// Ranks that hold each expert: over how many gradients of experts are summed.
inline int expertReplicaCount(const ParallelSpec& parallel) { return replicaCount(parallel) / parallel.expert; }
/// Those of sameWeights() that hold the same experts as `rank`, itself included, ascending: one of each expert group.
std::vector<int> sameExperts(const Mesh& mesh, int rank);

}  // namespace shardlab
