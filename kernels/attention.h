// SPDX-License-Identifier: Apache-2.0
// Causal self-attention of all heads: softmax(Q·Kᵀ/√width, positions up to the own one)·V. With a window only the last
// positions up to the own one are seen. What else may be done to scores says kernels/attention_scores.h.
// The tolerance against double precision is 1e-5 of the largest value, that of gradients 2e-5.
#pragma once

#include "kernels/attention_scores.h"
#include "kernels/work.h"

namespace shardlab::kernels {

struct AttentionShape {
    int samples = 1;
    int sequence = 1;
    int heads = 1;
    int width = 1;   ///< of one head; heads · width = hidden
    int window = 0;  ///< most positions that a query sees, the own one among them; 0: all up to the own one
    ScoreRule rule;
    bool sinks = false;  ///< each head has one

    int firstSeen(int query) const { return window > 0 && query >= window ? query - window + 1 : 0; }
    /// The elements of Q, of K, of V, and of the output.
    double elements() const { return static_cast<double>(samples) * sequence * heads * width; }
    /// The arithmetic of one product with the scores, of which those count that are seen: half of all without a window.
    double scoreFlops() const {
        const double seen =
            window > 0 && window < sequence ? window * (sequence - window / 2.0) : sequence / 2.0 * sequence;
        return 2 * elements() * seen / sequence;
    }
};

/// What the attention of a device needs beside its operands, in elements.
struct AttentionNeeds {
    /// What forward writes for backward: either all probabilities [samples, heads, sequence, sequence] before their
    /// dropout, zero where nothing is seen, in T; or the logarithm of each row's sum of exponentials [samples, heads,
    /// sequence], in fp32, from which backward computes the probabilities again. With sinks the probabilities of the
    /// sinks [samples, heads, sequence] follow those of the keys.
    std::size_t kept = 0;
    bool keepsProbabilities = true;
    std::size_t forwardScratch = 0;   ///< fp32
    std::size_t backwardScratch = 0;  ///< fp32
    /// Backward may write the gradient over qkv itself; else the gradient needs a place of its own.
    bool inPlace = true;

    double keptBytes(ConstArray keptArray) const {
        return bytesOf(keptArray, static_cast<double>(kept) / (keepsProbabilities ? 2 : 1));
    }
};

struct AttentionOps {
    virtual AttentionNeeds attentionNeeds(const AttentionShape& shape, DType type, bool drops) const = 0;

    /// qkv: [samples·sequence, 3·hidden], a token's queries of all heads, then its keys, then its values. Overwrites
    /// `kept` and output [samples·sequence, hidden]. qkv and output: T. Nothing is dropped where the mask's share is 0.
    /// `sinks` are there where the shape says so.
    virtual void attention(const AttentionShape& shape, ConstArray qkv, Array kept, Array output,
                           const AttentionDropout& dropout, const HeadSinks& sinks, float* scratch) = 0;
    KernelWork attentionWork(const AttentionShape& shape, ConstArray qkv, Array kept, Array,
                             const AttentionDropout& dropout, const HeadSinks&, const float*) const {
        const AttentionNeeds needs = attentionNeeds(shape, qkv.type, dropout.mask.share > 0);
        return {KernelKind::Attention, bytesOf(qkv, 4 * shape.elements()) + needs.keptBytes(kept),
                2 * shape.scoreFlops()};
    }

    /// Overwrites qkvGradient, shaped as qkv, with the gradient of qkv; it may be qkv where the needs say so. output
    /// and kept are those of forward; kept may be overwritten. outputGradient: [samples·sequence, hidden]. Overwrites
    /// the gradient of the sinks.
    virtual void attentionGrad(const AttentionShape& shape, ConstArray qkv, Array kept, ConstArray output,
                               ConstArray outputGradient, Array qkvGradient, const AttentionDropout& dropout,
                               const HeadSinks& sinks, float* scratch) = 0;
    KernelWork attentionGradWork(const AttentionShape& shape, ConstArray qkv, Array kept, ConstArray, ConstArray, Array,
                                 const AttentionDropout& dropout, const HeadSinks&, const float*) const {
        const AttentionNeeds needs = attentionNeeds(shape, qkv.type, dropout.mask.share > 0);
        const bool again = !needs.keepsProbabilities || shape.rule.cap > 0;  // the scores are computed
        const int products = again ? 5 : 4;
        return {KernelKind::AttentionGradient, bytesOf(qkv, 7 * shape.elements()) + needs.keptBytes(kept),
                products * shape.scoreFlops()};
    }

protected:
    ~AttentionOps() = default;
};

#define SHARDLAB_ATTENTION_OPS(operation)                                                                              \
    operation(AttentionOps, attention, 7) operation(AttentionOps, attentionGrad, 9)

}  // namespace shardlab::kernels
