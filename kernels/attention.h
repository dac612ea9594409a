// SPDX-License-Identifier: Apache-2.0
// Causal self-attention of all heads: softmax(Q·Kᵀ/√width, positions up to the own one)·V.
// Tolerance against double precision: 1e-5 of the largest value, gradients 2e-5.
#pragma once

#include "kernels/dropout.h"

#include <cstddef>

namespace shardlab {

struct AttentionShape {
    int samples = 1;
    int sequence = 1;
    int heads = 1;
    int width = 1;  ///< of one head; heads · width = hidden
};

/// Dropout of the probabilities: row (sample, head, query) of the mask is
/// sample·rowsOfSample + head·sequence + query, so that heads may be a part of those of a layer.
struct AttentionDropout {
    DropoutMask mask;
    std::int64_t rowsOfSample = 0;
};

/// What a device's attention needs beside its operands; elements.
struct AttentionNeeds {
    /// What forward writes for backward: all probabilities [samples, heads, sequence, sequence] before their dropout,
    /// zero above the diagonal, in T; or of each row the logarithm of its sum of exponentials [samples, heads,
    /// sequence], in fp32, from which backward makes the probabilities anew.
    std::size_t kept = 0;
    bool keepsProbabilities = true;
    std::size_t forwardScratch = 0;   ///< fp32
    std::size_t backwardScratch = 0;  ///< fp32
    /// Backward may write the gradient over qkv itself; else it wants a place of its own for it.
    bool inPlace = true;
};

struct AttentionOps {
    virtual AttentionNeeds attentionNeeds(const AttentionShape& shape, DType type, bool drops) const = 0;

    /// qkv: [samples·sequence, 3·hidden], a token's queries of all heads, then its keys, then its values. Overwrites
    /// `kept` and output [samples·sequence, hidden]. qkv and output: T. Nothing is dropped where the mask's share is 0.
    virtual void attention(const AttentionShape& shape, ConstArray qkv, Array kept, Array output,
                           const AttentionDropout& dropout, float* scratch) = 0;

    /// Overwrites qkvGradient, shaped as qkv, with the gradient of it: may be qkv where the needs say so. output and
    /// kept: those of forward; kept may be overwritten. outputGradient: [samples·sequence, hidden].
    virtual void attentionGrad(const AttentionShape& shape, ConstArray qkv, Array kept, ConstArray output,
                               ConstArray outputGradient, Array qkvGradient, const AttentionDropout& dropout,
                               float* scratch) = 0;

protected:
    ~AttentionOps() = default;
};

}  // namespace shardlab
