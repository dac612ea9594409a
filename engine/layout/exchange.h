// SPDX-License-Identifier: Apache-2.0
// What the replicas of a layout exchange in a step, and with whom (parallel.exchange).
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/replicas.h"

#include <algorithm>
#include <cstdint>

namespace shardlab {

enum class Exchange : std::uint8_t {
    AllReduce,  ///< allreduce: gradients are averaged over all replicas, and each updates
    /// server: replica 0 is the parameter server, and a worker like the others. It sums up the gradients of all,
    /// updates alone, with the only optimizer state there is, and sends each of the others the new weights.
    Server,
    /// async-server: replica 0 is a parameter server and nothing else, so that its time is its own; the others are
    /// workers. Each computes the gradient of its share of a batch at its own pace, waits until the server takes no
    /// other worker's (the lock), pushes it, and pulls the weights that the server has updated with it alone. A step is
    /// as many updates as there are workers: as many samples as a step of the others has.
    AsyncServer,
    /// easgd: each replica i trains by itself; in step t replica j = t mod D and the centre W̄, which replica 0 keeps
    /// beside its own weights, pull each other: Wⱼ ← Wⱼ − ηρ(Wⱼ − W̄), W̄ ← W̄ + ηρ(Wⱼ − W̄), both of the weights
    /// from before the step. Then every replica takes its own gradient: W ← W − ηΔW.
    Elastic,
    /// hogwild: no server and no lock. All workers of one host write the same weights, which replica 0's memory holds.
    /// Each reads them into a copy of its own, takes a gradient there, and writes w ← w − γg element by element, where
    /// g is not zero (arXiv 1106.5730). A step of a worker is one update of its own; steps of others lie at other
    /// times.
    Hogwild,
};

/// Of a checked layout.
inline Exchange exchangeOf(const ParallelSpec& parallel) {
    if (parallel.exchange == "server") return Exchange::Server;
    if (parallel.exchange == "async-server") return Exchange::AsyncServer;
    if (parallel.exchange == "hogwild") return Exchange::Hogwild;
    return parallel.exchange == "easgd" ? Exchange::Elastic : Exchange::AllReduce;
}

/// Whether replica 0 alone updates, and has optimizer state.
inline bool updatesAtServer(const ParallelSpec& parallel) {
    const Exchange exchange = exchangeOf(parallel);
    return exchange == Exchange::Server || exchange == Exchange::AsyncServer;
}

/// Replicas that share a global batch.
inline int workers(const ParallelSpec& parallel) {
    return exchangeOf(parallel) == Exchange::AsyncServer ? std::max(0, parallel.data - 1) : parallel.data;
}

/// Replicas whose gradients one update takes the mean of.
inline int replicasOfUpdate(const ParallelSpec& parallel) {
    const Exchange exchange = exchangeOf(parallel);
    return exchange == Exchange::AllReduce || exchange == Exchange::Server ? replicaCount(parallel) : 1;
}

/// Updates that the weights of one replica, or of a server, go through in a step of a schedule that makes one; of a
/// Hogwild worker those that it makes itself, as its learning rate follows no other.
inline int updatesOfStep(const ParallelSpec& parallel) {
    return exchangeOf(parallel) == Exchange::AsyncServer ? workers(parallel) : 1;
}

/// No replica waits for another at the end of a step.
inline bool runsAtOwnPace(const ParallelSpec& parallel) {
    return exchangeOf(parallel) == Exchange::AsyncServer || exchangeOf(parallel) == Exchange::Hogwild;
}

/// Of Hogwild, bytes beside the weights: what each worker tells of itself, and what the first tells all; a cache line
/// each.
inline std::int64_t hogwildPageBytes(const ParallelSpec& parallel) { return 64 * (std::int64_t{parallel.data} + 1); }

}  // namespace shardlab
