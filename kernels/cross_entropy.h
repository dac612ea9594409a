// SPDX-License-Identifier: Apache-2.0
// Softmax and cross-entropy over logits [rows, vocabulary], T; targets [rows], in range, on the device. The loss is
// summed in double. Tolerance against double precision: 1e-5 of the value, gradient 1e-5 of the largest.
#pragma once

#include "kernels/array.h"

#include <cstdint>

namespace shardlab {

/// A part of a vocabulary that several share.
struct VocabularyPart {
    int rows = 0;
    int columns = 0;  ///< logits [rows, columns]: those of tokens first … first + columns
    int first = 0;
};

/// A loss is set once what was asked for is done (DeviceMemory::synchronize), on a processor when the call returns;
/// until then `loss` must stay where it is.
struct CrossEntropyOps {
    /// loss = mean over rows of −ln softmax(logits)[target], nats.
    virtual void crossEntropy(int rows, int vocabulary, ConstArray logits, const std::int32_t* targets,
                              double* loss) = 0;
    /// The same, and logits are overwritten with softmax(logits) − onehot(target): the mean's gradient times `rows`,
    /// which 16 bits would lose.
    virtual void crossEntropyWithGradient(int rows, int vocabulary, Array logits, const std::int32_t* targets,
                                          double* loss) = 0;

    // The same over a vocabulary that several hold parts of: maxima and sums are combined over all of them in between.

    /// largest[r] = max over the part.
    virtual void largestLogits(const VocabularyPart& part, ConstArray logits, float* largest) = 0;
    /// own[r] = logit of the target, 0 where another part has it; sums[r] = Σ e^(logit − largest[r]) over the part.
    /// `largest` is that of all parts.
    virtual void sumExponentials(const VocabularyPart& part, const float* largest, const std::int32_t* targets,
                                 ConstArray logits, float* sums, float* own) = 0;
    /// logits are overwritten with softmax − onehot, as above. `largest` and `sums` are those of all parts.
    virtual void crossEntropyGradient(const VocabularyPart& part, const float* largest, const float* sums,
                                      const std::int32_t* targets, Array logits) = 0;
    /// loss = mean over rows of ln sums[r] + largest[r] − own[r].
    virtual void sharedLoss(int rows, const float* largest, const float* sums, const float* own, double* loss) = 0;

protected:
    ~CrossEntropyOps() = default;
};

}  // namespace shardlab
