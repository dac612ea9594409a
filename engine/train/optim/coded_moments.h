// SPDX-License-Identifier: Apache-2.0
// Moments in 8 bits (kernels/moment_codes.h) as numbers, for checkpoints: what others read and write is fp32.
#pragma once

#include "engine/train/optim/optimizer.h"

#include <cstdint>
#include <span>

namespace shardlab {

/// `state.values` are codes of elements `begin`… of a parameter, which tells where their blocks end. Fills `to` with
/// the numbers of elements `from`, `from` + 1 … of them.
void readMoments(Device& device, const OptimizerState& state, std::int64_t begin, std::size_t from,
                 std::span<float> to);
/// All of them anew: what was read becomes what it was read from, to the bit; other numbers the nearest of their block.
void writeMoments(Device& device, const OptimizerState& state, std::int64_t begin, std::span<const float> from);

}  // namespace shardlab
