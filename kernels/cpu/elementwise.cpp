// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise.h"

#include "kernels/cpu/vector.h"

namespace shardlab {

SHARDLAB_HOT double sumOfSquares(std::int64_t count, const float* values) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    return sum;
}

}  // namespace shardlab
