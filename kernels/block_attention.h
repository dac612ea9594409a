// SPDX-License-Identifier: Apache-2.0
// Causal self-attention whose keys come block by block, as a ring hands them round (ring attention, 2310.01889). A
// row's output O and the logarithm L of its sum of exponentials grow with each block: of the block alone they are O',
// L', and
//
//   L := ln(e^L + e^L')      O := e^(L_before − L)·O + e^(L' − L)·O'
//
// In the end they are those of all keys at once. Backward needs no other block for one: with the last L of each row
//
//   P = e^(scale·Q·Kᵀ − L)   D = rowsum(dO ∘ O)   dS = P ∘ (dO·Vᵀ − D)
//   dQ += scale·dS·K         dK += scale·dSᵀ·Q    dV += Pᵀ·dO
//
// Tolerance against double precision: 1e-5 of the largest value, gradients 2e-5.
#pragma once

#include "kernels/array.h"

#include <cstddef>

namespace shardlab {

/// Which of the rows that a rank holds meet which of those that came.
struct AttentionBlock {
    int samples = 1;
    int rows = 1;  ///< of each sample, among the queries as among the keys
    int heads = 1;
    int width = 1;       ///< of one head; heads · width = hidden
    int firstQuery = 0;  ///< of a sample's rows, the block's
    int queries = 1;
    int firstKey = 0;
    int keys = 1;
    bool causal = false;  ///< the block's query i sees its keys 0 … i; else all of them
};

struct AttentionBlockOps {
    /// Elements of fp32 that forward and backward need beside their operands, for `rows` rows of heads so wide.
    virtual std::size_t attentionBlockScratch(int rows, int width) const = 0;

    /// Merges the block into output [samples·rows, hidden] and logSums [samples, heads, rows], fp32; `first` overwrites
    /// those of its queries. qkv: [samples·rows, 3·hidden], of which the queries are read; keysValues: [samples·rows,
    /// 2·hidden], a token's keys of all heads, then its values; both T. Every query sees a key.
    virtual void attentionBlock(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues, bool first,
                                float* output, float* logSums, float* scratch) = 0;

    /// Adds to queryGradient [samples·rows, hidden] and keysValuesGradient [samples·rows, 2·hidden], fp32. output (the
    /// whole one) and its gradient: [samples·rows, hidden], T.
    virtual void attentionBlockGrad(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues,
                                    ConstArray output, ConstArray outputGradient, const float* logSums,
                                    float* queryGradient, float* keysValuesGradient, float* scratch) = 0;

    /// keysValues [rows, 2·hidden] := those of qkv [rows, 3·hidden].
    virtual void takeKeysValues(int rows, int hidden, ConstArray qkv, Array keysValues) = 0;
    /// qkvGradient [rows, 3·hidden], T := the two gradients beside each other, rounded.
    virtual void joinGradients(int rows, int hidden, const float* queryGradient, const float* keysValuesGradient,
                               Array qkvGradient) = 0;

protected:
    ~AttentionBlockOps() = default;
};

}  // namespace shardlab
