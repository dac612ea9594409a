// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/array.h"

#include <cstdint>

namespace shardlab::kernels::cpu {

/// Converts a matrix [rows, columns] whose rows lie `strideFrom` elements apart to one whose rows lie `strideTo` apart:
/// to fp32 exactly, from fp32 rounded to nearest, ties to even. Values too large for fp16 become infinite.
void toFloats(std::int64_t rows, std::int64_t columns, ConstArray from, std::int64_t strideFrom, float* to,
              std::int64_t strideTo);
void fromFloats(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t strideFrom, Array to,
                std::int64_t strideTo);

}  // namespace shardlab::kernels::cpu
