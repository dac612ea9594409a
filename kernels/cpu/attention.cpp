// SPDX-License-Identifier: Apache-2.0
// One head of one sample at a time, so that its matrices stay in cache; its rows in blocks, so that most of the
// products above the diagonal are left out.
#include "kernels/attention.h"

#include "kernels/cpu/dropout_mask.h"
#include "kernels/gemm.h"

#include <algorithm>
#include <cmath>

namespace shardlab {

namespace {

constexpr int blockRows = 64;

/// Softmax of row[0 … last] and zeros from there to `columns`. Whole vectors: what lies beyond `last` is at first a
/// score so low that it counts for nothing.
SHARDLAB_HOT void causalSoftmaxRow(float* row, int last, int columns) {
    const int padded = std::min(columns, (last + 16) & ~15);
    for (int j = last + 1; j < padded; ++j) row[j] = -1e30f;
    float highest = row[0];
#pragma omp simd reduction(max : highest)
    for (int j = 0; j < padded; ++j) highest = row[j] > highest ? row[j] : highest;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < padded; ++j) {
        const float weight = cpu::expOf(row[j] - highest);
        row[j] = weight;
        sum += weight;
    }
    const float share = 1.0f / sum;
#pragma omp simd
    for (int j = 0; j < padded; ++j) row[j] *= share;
    for (int j = last + 1; j < columns; ++j) row[j] = 0;
}

/// gradient[0 … last] := probability·(gradient − Σ gradient·probability), zeros from there to `columns`.
SHARDLAB_HOT void softmaxGradRow(const float* __restrict probability, float* __restrict gradient, int last,
                                 int columns) {
    float product = 0;
#pragma omp simd reduction(+ : product)
    for (int j = 0; j <= last; ++j) product += gradient[j] * probability[j];
#pragma omp simd
    for (int j = 0; j <= last; ++j) gradient[j] = probability[j] * (gradient[j] - product);
    for (int j = last + 1; j < columns; ++j) gradient[j] = 0;
}

/// out[0 … last] = masked row, zeros from there to `columns`.
SHARDLAB_HOT void maskRow(const cpu::DropoutRow& keep, const float* row, float* out, int last, int columns) {
#pragma omp simd
    for (int j = 0; j <= last; ++j) out[j] = row[j] * keep(static_cast<std::uint32_t>(j));
    for (int j = last + 1; j < columns; ++j) out[j] = 0;
}

/// `dropped`: scratch for a block's masked probabilities; null where nothing is dropped.
void attend(const AttentionShape& shape, const float* qkv, float* probabilities, float* output,
            const AttentionDropout& dropout, float* dropped) {
    const int s = shape.sequence;
    const int d = shape.width;
    const int hidden = shape.heads * d;
    const float scale = 1.0f / std::sqrt(static_cast<float>(d));
    for (int sample = 0; sample < shape.samples; ++sample) {
        for (int head = 0; head < shape.heads; ++head) {
            const std::size_t firstToken = static_cast<std::size_t>(sample) * s;
            const float* q = qkv + firstToken * 3 * hidden + head * d;
            const float* k = q + hidden;
            const float* v = k + hidden;
            float* p = probabilities + (static_cast<std::size_t>(sample) * shape.heads + head) * s * s;
            float* out = output + firstToken * hidden + head * d;
            for (int begin = 0; begin < s; begin += blockRows) {
                const int end = std::min(begin + blockRows, s);
                const int rows = end - begin;
                float* block = p + static_cast<std::size_t>(begin) * s;
                gemm(rows, end, d, scale, {q + static_cast<std::size_t>(begin) * 3 * hidden, 3 * hidden, false},
                     {k, 3 * hidden, true}, 0, block, s);
                for (int i = begin; i < end; ++i) causalSoftmaxRow(p + static_cast<std::size_t>(i) * s, i, s);
                if (dropped) {
                    const std::int64_t first = sample * dropout.rowsOfSample + std::int64_t{head} * s;
                    for (int i = begin; i < end; ++i)
                        maskRow({dropout.mask, first + i}, p + static_cast<std::size_t>(i) * s,
                                dropped + static_cast<std::size_t>(i - begin) * s, i, end);
                    block = dropped;
                }
                gemm(rows, d, end, 1, {block, s, false}, {v, 3 * hidden, false}, 0,
                     out + static_cast<std::size_t>(begin) * hidden, hidden);
            }
        }
    }
}

}  // namespace

void attention(const AttentionShape& shape, const float* qkv, float* probabilities, float* output) {
    attend(shape, qkv, probabilities, output, {}, nullptr);
}

void attention(const AttentionShape& shape, const float* qkv, float* probabilities, float* output,
               const AttentionDropout& dropout, float* scratch) {
    attend(shape, qkv, probabilities, output, dropout, scratch);
}

std::size_t attentionDropoutScratch(const AttentionShape& shape) {
    return static_cast<std::size_t>(std::min(shape.sequence, blockRows)) * static_cast<std::size_t>(shape.sequence);
}

std::size_t attentionScratch(const AttentionShape& shape) {
    return static_cast<std::size_t>(shape.sequence) * (shape.sequence + shape.width);
}

// P = softmax(S), S = scale·Q·Kᵀ, O = P·V:
// dP = dO·Vᵀ, dV = Pᵀ·dO, dS = P∘(dP − rowsum(dP∘P)), dQ = scale·dS·K, dK = scale·dSᵀ·Q.
// With a mask M: O = (M∘P)·V, dP = M∘(dO·Vᵀ), dV = (M∘P)ᵀ·dO.
void attentionGrad(const AttentionShape& shape, float* probabilities, const float* outputGradient, float* qkv,
                   float* scratch, const AttentionDropout& dropout) {
    const int s = shape.sequence;
    const int d = shape.width;
    const int hidden = shape.heads * d;
    const float scale = 1.0f / std::sqrt(static_cast<float>(d));
    float* dS = scratch;
    float* dQ = scratch + static_cast<std::size_t>(s) * s;
    const int lastBlock = (s - 1) / blockRows * blockRows;
    for (int sample = 0; sample < shape.samples; ++sample) {
        for (int head = 0; head < shape.heads; ++head) {
            const std::size_t firstToken = static_cast<std::size_t>(sample) * s;
            float* q = qkv + firstToken * 3 * hidden + head * d;
            float* k = q + hidden;
            float* v = k + hidden;
            float* p = probabilities + (static_cast<std::size_t>(sample) * shape.heads + head) * s * s;
            const std::int64_t firstRow = sample * dropout.rowsOfSample + std::int64_t{head} * s;
            const float* dOut = outputGradient + firstToken * hidden + head * d;
            for (int begin = 0; begin < s; begin += blockRows) {
                const int end = std::min(begin + blockRows, s);
                const std::size_t at = static_cast<std::size_t>(begin) * s;
                gemm(end - begin, end, d, 1, {dOut + static_cast<std::size_t>(begin) * hidden, hidden, false},
                     {v, 3 * hidden, true}, 0, dS + at, s);
                for (int i = begin; i < end; ++i) {
                    const std::size_t row = static_cast<std::size_t>(i) * s;
                    if (dropout.mask.share > 0) {
                        const cpu::DropoutRow keep(dropout.mask, firstRow + i);
                        maskRow(keep, dS + row, dS + row, i, end);
                        softmaxGradRow(p + row, dS + row, i, end);
                        maskRow(keep, p + row, p + row, i, end);
                        continue;
                    }
                    softmaxGradRow(p + row, dS + row, i, end);
                }
                gemm(end - begin, d, end, scale, {dS + at, s, false}, {k, 3 * hidden, false}, 0,
                     dQ + static_cast<std::size_t>(begin) * d, d);
            }
            // The last rows see every position: their product overwrites, those of the rows before are added.
            for (int begin = lastBlock; begin >= 0; begin -= blockRows) {
                const int end = std::min(begin + blockRows, s);
                const std::size_t at = static_cast<std::size_t>(begin) * s;
                const float beta = begin == lastBlock ? 0.0f : 1.0f;
                gemm(end, d, end - begin, 1, {p + at, s, true},
                     {dOut + static_cast<std::size_t>(begin) * hidden, hidden, false}, beta, v, 3 * hidden);
                gemm(end, d, end - begin, scale, {dS + at, s, true},
                     {q + static_cast<std::size_t>(begin) * 3 * hidden, 3 * hidden, false}, beta, k, 3 * hidden);
            }
            for (int i = 0; i < s; ++i) {
                std::copy_n(dQ + static_cast<std::size_t>(i) * d, d, q + static_cast<std::size_t>(i) * 3 * hidden);
            }
        }
    }
}

}  // namespace shardlab
