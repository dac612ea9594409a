// SPDX-License-Identifier: Apache-2.0
// What the members of a tensor group send each other inside a stage's actions: the collectives of parallel/tensor.h, in
// the order in which the layers of model/ ask for them.
#pragma once

#include "engine/event/event.h"
#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace shardlab {

struct TensorCost {
    EventKind kind = EventKind::TensorAllReduce;
    int layer = -1;  ///< as in the event's value
    std::int64_t bytes = 0;  ///< of the whole buffer
    double seconds = 0;
    bool again = false;  ///< of a forward that is recomputed
};

/// Of one microbatch. A whole backward does both of its halves; an input gradient begins each segment that is recomputed
/// (layout/recompute.h) with the collectives of its forward.
struct TensorCosts {
    std::vector<TensorCost> forward, inputGrad, weightGrad;
};

double seconds(const std::vector<TensorCost>& collectives);
/// Of those of recomputed forwards.
double secondsAgain(const std::vector<TensorCost>& collectives);

/// Ring all-reduce of `bytes` over n members: 2(n−1)/n · bytes ÷ bandwidth + 2(n−1) · latency.
double allReduceSeconds(double bytes, int n, const Link& link);

/// Of a group of layout.parallel.tensor > 1. Reduce-scatter and all-gather take half an all-reduce.
TensorCosts tensorCosts(const Layout& layout, const StageShape& stage, const Link& link);

struct TensorSpan {
    EventKind kind = EventKind::TensorAllReduce;
    int layer = -1;
    std::int64_t bytes = 0;
    double begin = 0;  ///< as a share of the action
    double end = 0;
};

/// The lists one after another in an action of `duration` seconds, which includes theirs: what is left of it is computing,
/// in equal parts before each. `together`: one span of all bytes and seconds, of the first one's kind and layer.
std::vector<TensorSpan> spansWithin(std::initializer_list<const std::vector<TensorCost>*> lists, double duration,
                                    bool together = false);

}  // namespace shardlab
