// SPDX-License-Identifier: Apache-2.0
// What the members of tensor, context and expert groups send each other inside a stage's actions: the collectives of
// parallel/tensor.h, the hops and exchanges of parallel/context.h and the all-to-alls of parallel/expert.h, in the
// order in which the layers of model/ ask for them.
#pragma once

#include "engine/base/layer_number.h"
#include "engine/trace/event/event.h"
#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"
#include "engine/predict/plan/context_traffic.h"

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace shardlab::predict {

struct TensorCost {
    EventKind kind = EventKind::TensorAllReduce;
    int layer = embeddingLayer;  ///< as in the event's value
    std::int64_t bytes = 0;      ///< of the whole buffer
    double seconds = 0;          ///< by which the action takes longer
    bool again = false;          ///< of a forward that is recomputed
    double cover = 0;            ///< of a hop: how long the rank computes meanwhile
    double hidden = 0;           ///< what of the hop lies behind that
};

/// The collectives of a tensor group for one microbatch. A whole backward does those of both of its halves; an input
/// gradient begins each segment that is recomputed (layout/recompute.h) with the collectives of the segment's forward.
struct TensorCosts {
    std::vector<TensorCost> forward, inputGrad, weightGrad;
    std::vector<TensorCost> update;  ///< of a step
};

double seconds(const std::vector<TensorCost>& collectives);
/// The time of the collectives of recomputed forwards.
double secondsAgain(const std::vector<TensorCost>& collectives);

/// Ring all-reduce of `bytes` over n members: 2(n−1)/n · bytes ÷ bandwidth + 2(n−1) · latency.
double allReduceSeconds(double bytes, int n, const Link& link);

/// All-to-all of `bytes` over n members: (n−1)/n · bytes ÷ bandwidth + (n−1) · latency.
double allToAllSeconds(double bytes, int n, const Link& link);

/// Whether rows travel to the experts of other folds of a tensor group (layout/mesh/folding.h). They do with other
/// software where each expert is whole: a member sends the rows of its own tokens. Shardlab's engine gathers the tokens
/// of the group, and a fold takes the rows of its experts.
bool travelsOverFolds(const Layout& layout);
/// Ranks among which rows travel to their experts.
int exchangeMembers(const Layout& layout);

/// The collectives of a group of layout.parallel.tensor ranks. A reduce-scatter or an all-gather takes half as long as
/// an all-reduce. `context` is what an attention of the context group sends, `expertLink` the slowest link of an expert
/// group. `tied`: the stage's token embedding has another copy elsewhere, and its sums go by themselves.
TensorCosts tensorCosts(const Layout& layout, const StageShape& stage, bool tied, const Link& link,
                        const ContextTraffic& context, const Link& expertLink = {});

struct TensorSpan {
    EventKind kind = EventKind::TensorAllReduce;
    int layer = embeddingLayer;
    std::int64_t bytes = 0;
    double begin = 0;  ///< as a share of the action
    double end = 0;
};

/// The lists one after another in an action of `duration` seconds, which includes theirs: what is left of it is
/// computing, in equal parts before each. `together`: one span of all bytes and seconds, of the first one's kind and
/// layer.
std::vector<TensorSpan> spansWithin(std::initializer_list<const std::vector<TensorCost>*> lists, double duration,
                                    bool together = false);

}  // namespace shardlab::predict
