// SPDX-License-Identifier: Apache-2.0
// The groups in which a rank exchanges single numbers, gradients and weights.
#pragma once

#include "engine/train/comm/communicator.h"

namespace shardlab::train {

struct RankGroups {
    Communicator& replica;  ///< ranks that together hold each weight once
    Communicator& data;     ///< ranks that hold the same weights
    Communicator& copy;     ///< ranks of `data` that share a copy of what ZeRO divides
    Communicator& context;  ///< ranks of `data` that share samples
    Communicator& experts;  ///< ranks of `data` that hold different experts
    Communicator& tensor;
    Communicator* tied = nullptr;  ///< ranks of first and last stage; null where no list has ReduceTied
};

}  // namespace shardlab::train
