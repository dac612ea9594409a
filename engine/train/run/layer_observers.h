// SPDX-License-Identifier: Apache-2.0
// What layers do within an action, as the trace has it: collectives of their groups, and forwards that are done again.
#pragma once

#include "engine/train/model/recompute.h"
#include "engine/train/parallel/context.h"
#include "engine/train/parallel/expert.h"
#include "engine/train/parallel/tensor.h"
#include "engine/train/run/rank_trace.h"

namespace shardlab {

// The trace outlives them.
TensorParallel::Observer tensorObserver(RankTrace& trace);
ContextParallel::Observer contextObserver(RankTrace& trace);
ExpertParallel::Observer expertObserver(RankTrace& trace);
Recompute::Observer recomputeObserver(RankTrace& trace);
/// Of paced actions, whose parts have modelled times: notes the memory in use before and after each forward done again.
Recompute::Observer pacedRecomputeObserver(RankTrace& trace);

}  // namespace shardlab
