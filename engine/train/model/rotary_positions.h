// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/context_split.h"
#include "engine/train/model/layer_context.h"

namespace shardlab::train {

/// Sets `first`, `split` and `second` of a shape of kernels/rotary.h or kernels/latent_heads.h: where in their sample
/// the tokens of this rank lie.
template <class Shape>
void setPositions(const LayerContext& context, Shape& shape) {
    const int members = context.context ? context.context->size() : 1;
    const int member = context.context ? context.context->member() : 0;
    const auto runs = contextRuns(context.sequence * members, members, member);
    shape.first = runs[0].first;
    shape.split = runs[0].count;
    shape.second = runs[1].first;
}

}  // namespace shardlab::train
