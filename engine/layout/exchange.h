// SPDX-License-Identifier: Apache-2.0
// What follows from the exchange of a layout (Exchange in kinds.h): who updates, and who waits for whom.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/replicas.h"

#include <algorithm>
#include <cstdint>

namespace shardlab::layout {

/// Replica 0 alone updates, and has the only optimizer state.
inline bool updatesAtServer(const ParallelSpec& parallel) {
    const Exchange exchange = parallel.exchange;
    return exchange == Exchange::Server || exchange == Exchange::AsyncServer;
}

/// Replicas that divide a global batch among themselves.
inline int workers(const ParallelSpec& parallel) {
    return parallel.exchange == Exchange::AsyncServer ? std::max(0, parallel.data - 1) : parallel.data;
}

/// Replicas whose gradients one update takes the mean of; with EASGD those of a context group.
inline int replicasOfUpdate(const ParallelSpec& parallel) {
    const Exchange exchange = parallel.exchange;
    if (exchange == Exchange::Elastic) return parallel.context;
    return exchange == Exchange::AllReduce || exchange == Exchange::Server ? replicaCount(parallel) : 1;
}

/// Updates that the weights of one replica, or of a server, go through in a step of a schedule that makes one. Only a
/// Hogwild worker's own updates count, as its learning rate follows no other's.
inline int updatesOfStep(const ParallelSpec& parallel) {
    return parallel.exchange == Exchange::AsyncServer ? workers(parallel) : 1;
}

/// No replica waits for another at the end of a step.
inline bool runsAtOwnPace(const ParallelSpec& parallel) {
    return parallel.exchange == Exchange::AsyncServer || parallel.exchange == Exchange::Hogwild;
}

/// Bytes of shared memory that Hogwild needs beside the weights: a cache line for what each worker says of itself, and
/// one for what the first says to all.
inline std::int64_t hogwildPageBytes(const ParallelSpec& parallel) { return 64 * (std::int64_t{parallel.data} + 1); }

}  // namespace shardlab::layout
