// SPDX-License-Identifier: Apache-2.0
// How many copies there are of what ZeRO divides (HSDP, PyTorch's HYBRID_SHARD). Without parallel.shard there is one,
// divided over all replicas. With it, `shard` neighbouring data ranks and the members of their context groups hold one
// copy: they gather its parameters and scatter its gradients among themselves, and the ranks with the same part of each
// copy sum their gradients. With EASGD each data rank has weights of its own, and a copy is what its context group sums
// the gradients of.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/folding.h"

#include <algorithm>

namespace shardlab::layout {

/// 1 where the layout was not checked and its shards do not divide the data ranks.
inline int copyCount(const ParallelSpec& parallel) {
    if (parallel.exchange == Exchange::Elastic) return std::max(1, parallel.data);
    const bool divides = parallel.shard > 0 && parallel.data % parallel.shard == 0;
    return divides ? parallel.data / parallel.shard : 1;
}

/// How many replicas hold one copy.
inline int replicasOfCopy(const ParallelSpec& parallel) {
    return parallel.data / copyCount(parallel) * parallel.context;
}

/// The number of a replica among those that hold the same copy.
inline int numberInCopy(const ParallelSpec& parallel, int replica) { return replica % replicasOfCopy(parallel); }

/// How many replicas hold the same experts of one copy.
inline int expertHolders(const ParallelSpec& parallel) { return replicasOfCopy(parallel) / expertSpread(parallel); }

}  // namespace shardlab::layout
