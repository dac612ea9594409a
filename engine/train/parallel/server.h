// SPDX-License-Identifier: Apache-2.0
// A parameter server: member 0 of a group holds the optimizer; the others have none.
#pragma once

#include "engine/train/comm/communicator.h"

namespace shardlab::train {

inline constexpr int serverMember = 0;

/// Collective. Afterwards the server's gradients are the sum over all members in rank order, the same bits that an
/// all-reduce gives; the gradients of the others have not changed.
void pushGradients(ArraySpan gradients, Communicator& group);

/// Collective. Afterwards every member has the server's weights. The server sends them to one member after another over
/// its one link; a tree of members would be quicker, but would not show what a server costs.
void pullWeights(ArraySpan weights, Communicator& group);

}  // namespace shardlab::train
