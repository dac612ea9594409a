// SPDX-License-Identifier: Apache-2.0
// Softmax and cross-entropy over logits [rows, vocabulary], T; targets [rows], in range or noTarget, on the device. A
// row without a target has neither a loss nor a gradient, and counts as a row all the same. Rows lie `stride` elements
// apart; what lies between them may hold anything, and be overwritten. The loss is summed in double. Logits l that a
// cap c > 0 has made, c·tanh(x ÷ c), have the gradient of x in place of their own: 1 − (l ÷ c)² times that.
// The tolerance against double precision is 1e-5 of the value, that of the gradient 1e-5 of the largest.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

/// Stands for the target of a row that has none.
inline constexpr std::int32_t noTarget = -1;

/// Logits of a vocabulary, or of the part that one of several ranks holds.
struct VocabularyPart {
    int rows = 0;
    int columns = 0;  ///< logits [rows, columns] are those of tokens first … first + columns
    int first = 0;
    float cap = 0;   ///< of logits; 0: none
    int stride = 0;  ///< elements from row to row; 0: `columns`

    int rowStride() const { return stride > 0 ? stride : columns; }
    double elements() const { return 1.0 * rows * columns; }
};

/// A loss is set once the device has done its work (DeviceMemory::synchronize), on a processor when the call returns;
/// until then `loss` must stay where it is.
struct CrossEntropyOps {
    /// loss = mean over rows of −ln softmax(logits)[target], nats.
    /// `whole` begins with token 0.
    virtual void crossEntropy(const VocabularyPart& whole, ConstArray logits, const std::int32_t* targets,
                              double* loss) = 0;
    static KernelWork crossEntropyWork(const VocabularyPart& whole, ConstArray logits, const auto&...) {
        return {KernelKind::CrossEntropy, bytesOf(logits, whole.elements())};
    }

    /// Computes the loss as crossEntropy does, and overwrites logits with softmax(logits) − onehot(target): the
    /// gradient of the mean times `rows`, since 16 bits would lose the gradient itself.
    virtual void crossEntropyWithGradient(const VocabularyPart& whole, Array logits, const std::int32_t* targets,
                                          double* loss) = 0;
    static KernelWork crossEntropyWithGradientWork(const VocabularyPart& whole, Array logits, const auto&...) {
        return {KernelKind::CrossEntropy, bytesOf(logits, 2 * whole.elements())};
    }

    /// logits := cap·tanh(logits ÷ cap).
    virtual void capLogits(std::int64_t count, float cap, Array logits) = 0;
    static KernelWork capLogitsWork(std::int64_t count, float, Array logits) {
        return {KernelKind::CrossEntropy, bytesOf(logits, 2 * static_cast<double>(count))};
    }

    // The operations below share a vocabulary among several ranks, which combine maxima and sums between the calls.

    /// largest[r] = max over the part.
    virtual void largestLogits(const VocabularyPart& part, ConstArray logits, float* largest) = 0;
    static KernelWork largestLogitsWork(const VocabularyPart& part, ConstArray logits, const float*) {
        return {KernelKind::CrossEntropy, bytesOf(logits, part.elements())};
    }

    /// own[r] = logit of the target, 0 where another part has it; sums[r] = Σ e^(logit − largest[r]) over the
    /// part, 0 without a target. `largest` is that of all parts.
    virtual void sumExponentials(const VocabularyPart& part, const float* largest, const std::int32_t* targets,
                                 ConstArray logits, float* sums, float* own) = 0;
    static KernelWork sumExponentialsWork(const VocabularyPart& part, const float*, const std::int32_t*,
                                          ConstArray logits, const float*, const float*) {
        return {KernelKind::CrossEntropy, bytesOf(logits, part.elements())};
    }

    /// Overwrites logits with softmax − onehot, as crossEntropyWithGradient does. `largest` and `sums` are those of all
    /// parts.
    virtual void crossEntropyGradient(const VocabularyPart& part, const float* largest, const float* sums,
                                      const std::int32_t* targets, Array logits) = 0;
    static KernelWork crossEntropyGradientWork(const VocabularyPart& part, const float*, const float*,
                                               const std::int32_t*, Array logits) {
        return {KernelKind::CrossEntropy, bytesOf(logits, 2 * part.elements())};
    }

    /// loss = mean over rows of ln sums[r] + largest[r] − own[r]; 0 of a row whose sum is 0.
    virtual void sharedLoss(int rows, const float* largest, const float* sums, const float* own, double* loss) = 0;
    static KernelWork sharedLossWork(int rows, const auto&...) {
        return {KernelKind::CrossEntropy, 3.0 * sizeof(float) * rows};
    }

protected:
    ~CrossEntropyOps() = default;
};

#define SHARDLAB_CROSS_ENTROPY_OPS(operation)                                                                          \
    operation(CrossEntropyOps, crossEntropy, 4) operation(CrossEntropyOps, crossEntropyWithGradient, 4)                \
        operation(CrossEntropyOps, capLogits, 3) operation(CrossEntropyOps, largestLogits, 3)                          \
            operation(CrossEntropyOps, sumExponentials, 6) operation(CrossEntropyOps, crossEntropyGradient, 5)         \
                operation(CrossEntropyOps, sharedLoss, 5)

}  // namespace shardlab::kernels
