// SPDX-License-Identifier: Apache-2.0
// Softmax and cross-entropy over logits [rows, vocabulary]; targets [rows], in range. fp32, the
// loss summed in double. Tolerance against double precision: 1e-5 of the value, gradient 1e-5 of the largest.
#pragma once

#include <cstdint>

namespace shardlab {

/// Mean over rows of −ln softmax(logits)[target], nats.
double crossEntropy(int rows, int vocabulary, const float* logits, const std::int32_t* targets);
/// The same, and logits are overwritten with the mean's gradient: (softmax(logits) − onehot(target))/rows.
double crossEntropyWithGradient(int rows, int vocabulary, float* logits, const std::int32_t* targets);

}  // namespace shardlab
