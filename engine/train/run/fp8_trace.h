// SPDX-License-Identifier: Apache-2.0
// Ends a step of a stage whose products have 8 bits, and records what the step rounded.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/model/stage.h"
#include "engine/train/run/rank_trace.h"

namespace shardlab::train {

/// Records for each factor of a linear layer the step's smallest scale, and for each microbatch how many numbers
/// saturated and how many became 0, where there are any. Where scales are delayed, the ranks of `sharing` and then
/// those of `tensor` come to the same histories: collective over both. Null: nobody shares the tensors.
void endFp8Step(Stage& stage, int number, RankTrace& trace, Communicator* sharing = nullptr,
                Communicator* tensor = nullptr);

}  // namespace shardlab::train
