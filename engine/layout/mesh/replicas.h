// SPDX-License-Identifier: Apache-2.0
// The ranks of a replica together hold each weight once. There is a replica for each member of the data and of the
// context axis: members of a context group read parts of the same samples, members of a data group read different
// samples.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/folding.h"
#include "engine/layout/mesh/mesh.h"

#include <vector>

namespace shardlab::layout {

/// How many replicas there are, data × context: over them gradients are summed, and ZeRO divides its shards.
inline int replicaCount(const ParallelSpec& parallel) { return parallel.data * parallel.context; }

/// The number, from 0, of the replica that `rank` belongs to.
int replicaNumber(const Mesh& mesh, int rank);
/// The ranks of that replica, ascending: they differ along the pipeline and the tensor axis only.
std::vector<int> replicaRanks(const Mesh& mesh, int rank);
/// The ranks that hold the same weights as `rank`, itself included, in the order of their replicas. Only those of
/// sameExperts() hold the same experts too.
std::vector<int> sameWeights(const Mesh& mesh, int rank);

/// The ranks of sameWeights() that hold the same copy of what ZeRO divides as `rank` (copies.h), itself included.
std::vector<int> sameCopy(const Mesh& mesh, int rank);
/// The ranks of sameWeights() that hold the same part of each copy, `rank` included, in the order of their copies.
std::vector<int> samePart(const Mesh& mesh, int rank);

/// How many ranks hold each expert, over which its gradients are summed.
inline int expertReplicaCount(const ParallelSpec& parallel) { return replicaCount(parallel) / expertSpread(parallel); }
/// The ranks of sameWeights() to which rows of `rank` travel, itself included, ascending: its fold of its expert group.
std::vector<int> expertExchange(const Mesh& mesh, int rank);
/// The ranks of sameCopy() that hold the same experts as `rank`, itself included, ascending: one of each expert group.
std::vector<int> sameExperts(const Mesh& mesh, int rank);

}  // namespace shardlab::layout
