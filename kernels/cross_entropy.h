// SPDX-License-Identifier: Apache-2.0
// Softmax and cross-entropy over logits [rows, vocabulary]; targets [rows], in range.
#pragma once

#include <cstdint>

namespace shardlab {

/// Mean over rows of −ln softmax(logits)[target], nats.
double crossEntropy(int rows, int vocabulary, const float* logits, const std::int32_t* targets);
/// The same, and logits are overwritten with the mean's gradient: (softmax(logits) − onehot(target))/rows.
double crossEntropyWithGradient(int rows, int vocabulary, float* logits, const std::int32_t* targets);

}  // namespace shardlab
