// SPDX-License-Identifier: Apache-2.0
// Who hears of what layers do within an action: the collectives of their groups, and the forwards that they compute
// again.
#pragma once

#include "engine/train/model/recompute.h"
#include "engine/train/parallel/context.h"
#include "engine/train/parallel/expert.h"
#include "engine/train/parallel/tensor.h"
#include "engine/train/run/rank_trace.h"

namespace shardlab::train {

/// An observer that is empty hears nothing.
struct LayerObservers {
    TensorParallel::Observer tensor;
    ContextParallel::Observer context;
    ExpertParallel::Observer experts;
    Recompute::Observer recompute;
};

/// Observers that record everything when it happens. `trace` must outlive them.
LayerObservers measuringObservers(RankTrace& trace);

}  // namespace shardlab::train
