// SPDX-License-Identifier: Apache-2.0
// Fills, sums and scalings over `count` floats. Tolerance against double precision: 1e-6 of the largest value,
// the sum of squares 1e-13 of its own.
#pragma once

#include <cstdint>

namespace shardlab {

/// values = value.
void fill(std::int64_t count, float value, float* values);
/// values *= factor.
void scale(std::int64_t count, float factor, float* values);
/// values += others.
void add(std::int64_t count, const float* others, float* values);
/// Σ values², summed in double; the same bits for the same values.
double sumOfSquares(std::int64_t count, const float* values);

}  // namespace shardlab
