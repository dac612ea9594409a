// SPDX-License-Identifier: Apache-2.0
// Over `count` floats, whatever their shape.
#pragma once

#include <cstdint>

namespace shardlab {

/// Σ values², summed in double: 1e-13 of itself off at most; the same bits for the same values.
double sumOfSquares(std::int64_t count, const float* values);

}  // namespace shardlab
