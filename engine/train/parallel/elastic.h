// SPDX-License-Identifier: Apache-2.0
// Elastic averaging (EASGD, arXiv 1412.6651): weights W and a centre W̄ that pull each other. Both sides do the same
// arithmetic, each on its own part: V ← V − α(V − R), where R is what the other side had.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/model/stage.h"

namespace shardlab::train {

/// Sends `own` to `peer` and receives into `other` what `peer` sent. Both lie on the group's device.
void swapWeights(ConstArraySpan own, ArraySpan other, int peer, Communicator& group);

/// other := own − other.
void differ(ConstArraySpan own, ArraySpan other, Device& device);

/// own := own − α·difference; `difference` is overwritten.
void pull(ArraySpan own, ArraySpan difference, float alpha, Device& device);

/// Σ difference² over the stage's parameters that this rank owns; `difference` has the order of their block.
double squaredDistance(Stage& stage, ConstArraySpan difference);

}  // namespace shardlab::train
