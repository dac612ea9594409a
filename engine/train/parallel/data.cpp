// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/data.h"

namespace shardlab::train {

void averageGradients(ArraySpan gradients, Communicator& data) { data.allReduce(gradients, ReduceOp::Sum); }

}  // namespace shardlab::train
