// SPDX-License-Identifier: Apache-2.0
// Converts moments in 8 bits (kernels/moment_codes.h) from and to fp32, in which checkpoints hold them.
#pragma once

#include "engine/train/optim/optimizer.h"

#include <cstdint>
#include <span>

namespace shardlab::train {

/// Fills `to` with the numbers that elements `from`, `from` + 1 … of `state.values` stand for. These are codes of the
/// elements `begin`… of a parameter; `begin` decides where their blocks end.
void readMoments(Device& device, const OptimizerState& state, std::int64_t begin, std::size_t from,
                 std::span<float> to);
/// Encodes all numbers anew. Numbers that readMoments() gave become the codes they came from, to the bit; others become
/// the nearest code of their block.
void writeMoments(Device& device, const OptimizerState& state, std::int64_t begin, std::span<const float> from);

}  // namespace shardlab::train
