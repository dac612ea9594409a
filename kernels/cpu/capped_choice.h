// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gate.h"

namespace shardlab::kernels::cpu {

/// Computes A [sequence, experts] of one sample from its G [sequence, experts] (GateRule); returns the number of
/// rounds.
int cappedAssignment(const GateShape& shape, const GateRule& rule, const float* probabilities, float* assigned);

}  // namespace shardlab::kernels::cpu
