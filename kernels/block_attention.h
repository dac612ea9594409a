// SPDX-License-Identifier: Apache-2.0
// Causal self-attention whose keys come block by block, as a ring hands them round (ring attention, 2310.01889). A
// row's output O and the logarithm L of its sum of exponentials grow with each block. Where the block alone gives O'
// and L', they become
//
//   L := ln(e^L + e^L')      O := e^(L_before − L)·O + e^(L' − L)·O'
//
// After the last block they are those of all keys at once. Backward treats each block by itself, with the last L of
// each row:
//
//   P = e^(scale·Q·Kᵀ − L)   D = rowsum(dO ∘ O)   dS = P ∘ (dO·Vᵀ − D)
//   dQ += scale·dS·K         dK += scale·dSᵀ·Q    dV += Pᵀ·dO
//
// With a mask M of dropout O' is that of M∘P, and L' that of P; backward has M∘(dO·Vᵀ) in the place of dO·Vᵀ,
// and M∘P in that of P for dV. D is as before.
//
// Rules of scores and sinks are those of kernels/attention_scores.h. A sink is a part of L from the first block on.
//
// The tolerance against double precision is 1e-5 of the largest value, that of gradients 2e-5.
#pragma once

#include "kernels/attention_scores.h"
#include "kernels/work.h"

namespace shardlab::kernels {

/// Which of the queries that a rank holds meet which of the keys that came.
struct AttentionBlock {
    int samples = 1;
    int rows = 1;  ///< of each sample, as many queries as keys
    int heads = 1;
    int width = 1;       ///< of one head; heads · width = hidden
    int firstQuery = 0;  ///< of the block, counted among the rows of a sample
    int queries = 1;
    int firstKey = 0;
    int keys = 1;
    bool causal = false;  ///< the block's query i sees its keys 0 … i; else all of them
    int window = 0;       ///< of the keys that a query would see, those count that are less than so far away; 0: all
    RowPositions queryRows, keyRows;  ///< read with a window, slopes or dropout
    ScoreRule rule;
    int sequence = 0;          ///< rows of a whole sample; read with dropout
    AttentionDropout dropout;  ///< nothing is dropped where the mask's share is 0

    /// The block's first key that its query sees; it may lie behind the last one that the query sees.
    constexpr int firstSeen(int query) const {
        if (window == 0) return 0;
        const int hidden = keyRows.before(queryPosition(query) - window + 1, rows) - firstKey;
        return hidden < 0 ? 0 : hidden;
    }
    /// Where a query or a key of the block lies in its sample.
    constexpr int queryPosition(int query) const { return queryRows.of(firstQuery + query); }
    constexpr int keyPosition(int key) const { return keyRows.of(firstKey + key); }
    /// The row of the mask that its query has.
    constexpr std::int64_t maskRow(std::int64_t sample, int head, int query) const {
        return sample * dropout.rowsOfSample + std::int64_t{head} * sequence + queryPosition(query);
    }
    double queryElements() const { return static_cast<double>(samples) * queries * heads * width; }
    double keyElements() const { return static_cast<double>(samples) * keys * heads * width; }
    /// The arithmetic of one product with the scores; in a causal block half of the scores count.
    double scoreFlops() const { return (causal ? 1 : 2) * queryElements() * keys; }
};

struct AttentionBlockOps {
    /// How many elements of fp32 forward and backward need beside their operands, for `rows` rows of heads so wide.
    virtual std::size_t attentionBlockScratch(int rows, int width) const = 0;

    /// Merges the block into output [samples·rows, hidden] and logSums [samples, heads, rows], fp32; with `first` it
    /// overwrites the rows of its queries instead. qkv: [samples·rows, 3·hidden], of which the queries are read;
    /// keysValues: [samples·rows, 2·hidden], a token's keys of all heads, then its values; both T. With
    /// `first` every query sees a key; else the rows of one that sees none stay as they are. `sinks`, where there are
    /// some, are read with `first` alone.
    virtual void attentionBlock(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues,
                                const HeadSinks& sinks, bool first, float* output, float* logSums, float* scratch) = 0;
    static KernelWork attentionBlockWork(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues,
                                         const HeadSinks&, bool first, const float* output, const float*,
                                         const float*) {
        return {KernelKind::Attention,
                bytesOf(qkv, block.queryElements()) + bytesOf(keysValues, 2 * block.keyElements()) +
                    bytesOf(output, (first ? 1 : 2) * block.queryElements()),
                2 * block.scoreFlops()};
    }

    /// Adds to queryGradient [samples·rows, hidden] and keysValuesGradient [samples·rows, 2·hidden], fp32. output (the
    /// whole one) and its gradient: [samples·rows, hidden], T.
    virtual void attentionBlockGrad(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues,
                                    ConstArray output, ConstArray outputGradient, const float* logSums,
                                    float* queryGradient, float* keysValuesGradient, float* scratch) = 0;
    static KernelWork attentionBlockGradWork(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues,
                                             ConstArray, ConstArray, const float*, const float* queryGradient,
                                             const float* keysValuesGradient, const float*) {
        return {KernelKind::AttentionGradient,
                bytesOf(qkv, 3 * block.queryElements()) + bytesOf(keysValues, 2 * block.keyElements()) +
                    bytesOf(queryGradient, 2 * block.queryElements()) +
                    bytesOf(keysValuesGradient, 4 * block.keyElements()),
                5 * block.scoreFlops()};
    }

    /// Overwrites the gradient of the sinks, −Σ e^(sink − L)·D over the rows of a head. Block and logSums are those of
    /// all rows, output and its gradient [samples·rows, hidden], T.
    virtual void sinkGrad(const AttentionBlock& block, ConstArray output, ConstArray outputGradient,
                          const float* logSums, const HeadSinks& sinks) = 0;
    static KernelWork sinkGradWork(const AttentionBlock& block, ConstArray output, ConstArray, const float*,
                                   const HeadSinks&) {
        return {KernelKind::AttentionGradient, bytesOf(output, 2 * block.queryElements()), 2 * block.queryElements()};
    }

    /// keysValues [rows, 2·hidden] := the keys and values of qkv [rows, 3·hidden].
    virtual void takeKeysValues(int rows, int hidden, ConstArray qkv, Array keysValues) = 0;
    static KernelWork takeKeysValuesWork(int rows, int hidden, ConstArray, Array keysValues) {
        return {KernelKind::Copy, bytesOf(keysValues, 4.0 * rows * hidden)};
    }

    /// qkvGradient [rows, 3·hidden], T := the two gradients beside each other, rounded.
    virtual void joinGradients(int rows, int hidden, const float* queryGradient, const float* keysValuesGradient,
                               Array qkvGradient) = 0;
    static KernelWork joinGradientsWork(int rows, int hidden, const float* queryGradient, const float*,
                                        Array qkvGradient) {
        return {KernelKind::Copy,
                bytesOf(queryGradient, 3.0 * rows * hidden) + bytesOf(qkvGradient, 3.0 * rows * hidden)};
    }

protected:
    ~AttentionBlockOps() = default;
};

#define SHARDLAB_ATTENTION_BLOCK_OPS(operation)                                                                        \
    operation(AttentionBlockOps, attentionBlock, 8) operation(AttentionBlockOps, attentionBlockGrad, 9)                \
        operation(AttentionBlockOps, sinkGrad, 5) operation(AttentionBlockOps, takeKeysValues, 4)                      \
            operation(AttentionBlockOps, joinGradients, 5)

}  // namespace shardlab::kernels
