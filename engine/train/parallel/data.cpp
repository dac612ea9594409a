// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/data.h"

namespace shardlab {

void averageGradients(ArraySpan gradients, Communicator& data) { data.allReduce(gradients, ReduceOp::Sum); }

}  // namespace shardlab
