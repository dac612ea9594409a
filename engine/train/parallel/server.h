// SPDX-License-Identifier: Apache-2.0
// A parameter server: member 0 of a group holds the optimizer, the others have none.
#pragma once

#include "engine/train/comm/communicator.h"

namespace shardlab {

/// Collective: afterwards the server's gradients are the sum over all members, taken in rank order, so to the bit what
/// an all-reduce gives; the others' are as they were.
void pushGradients(ArraySpan gradients, Communicator& group);

/// Collective: afterwards every member has the server's weights. The server sends them to one after another, over its
/// one link: a tree of members would be quicker, and no longer show what a server costs.
void pullWeights(ArraySpan weights, Communicator& group);

}  // namespace shardlab
