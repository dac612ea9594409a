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

// The same over a vocabulary that several hold parts of: maxima and sums are combined over all of them in between.

struct VocabularyPart {
    int rows = 0;
    int columns = 0;  ///< logits [rows, columns]: those of tokens first … first + columns
    int first = 0;
};
/// largest[r] = max over the part.
void largestLogits(const VocabularyPart& part, const float* logits, float* largest);
/// own[r] = logit of the target, 0 where another part has it; logits := e^(logits − largest[r]), sums[r] = their sum.
/// `largest` is that of all parts.
void exponentiateLogits(const VocabularyPart& part, const float* largest, const std::int32_t* targets, float* logits,
                        float* sums, float* own);
/// logits, exponentiated, are overwritten with the mean loss's gradient. `sums` are those of all parts.
void crossEntropyGradient(const VocabularyPart& part, const float* sums, const std::int32_t* targets, float* logits);

}  // namespace shardlab
