// SPDX-License-Identifier: Apache-2.0
// Updates in which rounding errors stay rounding errors, for runs that are compared though they sum in another order.
#pragma once

#include "engine/layout/layout.h"
#include "tests/support/wings.h"

namespace shardlab::test {

/// Adaptive optimizers divide a gradient by what they know of its size, however small it is, so that rounding errors of
/// gradients near zero become whole updates. With this epsilon AdamW leaves them what they are. Adafactor and SM3 have
/// none: at these rates the errors stay below 1e-5 of the loss for twenty steps, at twice to three times as much one
/// text in six lets them grow past that.
inline void steadyUpdates(OptimizerSpec& optimizer) {
    optimizer.adamw.epsilon = 1e-3;
    if (optimizer.kind == OptimizerKind::Adafactor) optimizer.learningRate = 5e-4;
    if (optimizer.kind == OptimizerKind::Sm3) optimizer.learningRate = 0.01;
}

}  // namespace shardlab::test
