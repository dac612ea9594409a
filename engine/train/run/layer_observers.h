// SPDX-License-Identifier: Apache-2.0
// Who hears of what layers do within an action: the collectives of their groups, the forwards that they compute again,
// and each part that is done.
#pragma once

#include "engine/train/model/layer_observer.h"
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
    LayerObserver layers;
};

/// Whether the memory in use is recorded after a part. Of a deep stage it is not after each layer, so that what is
/// recorded of an action stays little.
constexpr bool notesMemory(const LayerDone& done) {
    constexpr int most = 16;  // layers of a stage
    return done.layer % ((done.layers + most - 1) / most) == 0;
}

/// Observers that record everything when it happens. `trace` must outlive them.
LayerObservers measuringObservers(RankTrace& trace);

}  // namespace shardlab::train
