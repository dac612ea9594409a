// SPDX-License-Identifier: Apache-2.0
// What a predicted bubble consists of: the pipeline's filling and draining, stages of unequal time, and waiting for
// what moves between ranks. Ranks that hold all layers are idle too, while they wait for each other's gradients.
#pragma once

#include "engine/predict/plan/plan.h"

namespace shardlab::predict {

/// Shares of the time from the step's first forward to its last backward, as Plan::bubble; none is negative, and
/// together they are the bubble.
struct BubbleParts {
    double overload = 0;       ///< ranks that share a core wait for each other
    double communication = 0;  ///< transfers, reductions and copies that no computation hides
    double imbalance = 0;      ///< stages that take longer than the others
    double fill = 0;           ///< filling and draining the pipeline, with equal stages and free transfers
    double sum() const { return overload + communication + imbalance + fill; }
};

/// The step is simulated again with one more cause taken out each time, in the order of the fields: what its bubble
/// becomes smaller by is the cause's part. All of it is communication where no schedule says who waits: with an
/// asynchronous server, and where workers share weights without a lock.
BubbleParts bubbleParts(const Plan& plan);

}  // namespace shardlab::predict
