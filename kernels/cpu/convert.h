// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/array.h"

#include <cstdint>

namespace shardlab::cpu {

/// A matrix [rows, columns] whose rows lie `strideFrom` elements apart, written down as fp32 (exact) or from it
/// (rounded to nearest, ties to even; what fp16 cannot hold becomes infinite), rows `strideTo` apart.
void toFloats(std::int64_t rows, std::int64_t columns, ConstArray from, std::int64_t strideFrom, float* to,
              std::int64_t strideTo);
void fromFloats(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t strideFrom, Array to,
                std::int64_t strideTo);

}  // namespace shardlab::cpu
