// SPDX-License-Identifier: Apache-2.0
// PipeDream's partitioner (arXiv 1806.03377, section 3.1): which layers make a stage, and on how many workers it is
// repeated, so that the slowest stage is as quick as can be.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardlab::predict {

/// What one layer costs for one microbatch.
struct LayerCost {
    double seconds = 0;            ///< forward and backward
    std::int64_t outputBytes = 0;  ///< a_i: its output, and as much for the gradient that comes back
    std::int64_t weightBytes = 0;  ///< of its gradients, which replicas all-reduce
    bool operator==(const LayerCost&) const = default;
};

struct PartitionedStage {
    int layers = 0;
    int replicas = 1;
    double seconds = 0;  ///< T: of one microbatch, the replicas taking turns
    bool operator==(const PartitionedStage&) const = default;
};

struct Partition {
    std::vector<PartitionedStage> stages;  ///< bottom to top
    double slowest = 0;                    ///< seconds between two microbatches: of the slowest stage or boundary
    int workers() const;
    /// All stages on equally many workers: what a layout can say, with that number as its data degree.
    bool uniform() const;
};

/// T(i → j, n) = max(Σ seconds, all-reduce) ÷ n, all-reduce = 2(n−1)/n · Σ weight bytes ÷ bandwidth, n ≥ 1.
double stageSeconds(std::span<const LayerCost> stage, int replicas, double bandwidth);

/// The best partition over at most `workers` ≥ 1 workers, with `bandwidth` bytes a second between any two of them:
///   A(j, n) = min( T(1 → j, n), min over i, n′ of max( A(i, n−n′), 2·a_i ÷ bandwidth, T(i+1 → j, n′) ) )
/// for j layers on n workers. `layers` is not empty. Takes about layers² · workers · log(workers) operations.
Partition partition(std::span<const LayerCost> layers, int workers, double bandwidth);

/// The best partition into exactly `stages` stages on one worker each, 1 ≤ stages ≤ layers: the number of layers of
/// each. Of all splits whose slowest stage is as quick as can be, the one with the least sum of squared times.
std::vector<int> balancedSplit(std::span<const LayerCost> layers, int stages, double bandwidth);

}  // namespace shardlab::predict
