// SPDX-License-Identifier: Apache-2.0
// Attention without tensor cores: any type, any width up to 256, products in fp32. The passes are those of
// attention_forward.cuh and attention_backward.cuh.
#pragma once

#include "kernels/cuda/attention_parts.cuh"

#include <cmath>

namespace shardlab::kernels::cuda {

/// 16×16 threads hold `tile` rows and meet `tile` others at a time: thread (y, x) takes rows y + 16·i and columns x +
/// 16·j.
template <int tile_, int columns_>
struct PlainTile {
    static constexpr int tile = tile_;
    static constexpr int columns = columns_;  ///< the widest head
    static constexpr int each = tile / 16;
    static constexpr int eachColumn = columns / 16;
    static constexpr int side = 16;
    static constexpr int threads = side * side;
    static constexpr int stride = columns + 1;
    static constexpr int matrix = tile * stride;
    static constexpr int square = tile * (tile + 1);
};

template <class Tile>
constexpr int plainForwardBytes = 4 * (3 * Tile::matrix + Tile::square);
template <class Tile>
constexpr int plainBackwardBytes = 4 * (4 * Tile::matrix + 2 * Tile::square + 2 * Tile::tile);

/// Loads rows firstRow … of a matrix, with zeros beyond its last row and column.
template <class T, class Tile>
__device__ __forceinline__ void loadPlain(float* tile, const T* matrix, int rowStride, int firstRow, int lastRow,
                                          int width) {
    for (int i = static_cast<int>(threadIdx.x); i < Tile::tile * Tile::columns; i += Tile::threads) {
        const int row = i / Tile::columns;
        const int column = i % Tile::columns;
        const bool valid = firstRow + row < lastRow && column < width;
        tile[row * Tile::stride + column] =
            valid ? static_cast<float>(matrix[static_cast<std::int64_t>(firstRow + row) * rowStride + column]) : 0.0f;
    }
}

/// c[i][j] := row y + 16·i of a · row x + 16·j of b
template <class Tile>
__device__ __forceinline__ void multiplyPlain(float (&c)[Tile::each][Tile::each], const float* a, const float* b,
                                              int width) {
    const int y = static_cast<int>(threadIdx.x) / Tile::side;
    const int x = static_cast<int>(threadIdx.x) % Tile::side;
#pragma unroll
    for (int i = 0; i < Tile::each; ++i)
#pragma unroll
        for (int j = 0; j < Tile::each; ++j) c[i][j] = 0;
#pragma unroll 4
    for (int k = 0; k < width; ++k) {
        float left[Tile::each];
        float right[Tile::each];
#pragma unroll
        for (int i = 0; i < Tile::each; ++i) {
            left[i] = a[(y + Tile::side * i) * Tile::stride + k];
            right[i] = b[(x + Tile::side * i) * Tile::stride + k];
        }
#pragma unroll
        for (int i = 0; i < Tile::each; ++i)
#pragma unroll
            for (int j = 0; j < Tile::each; ++j) c[i][j] += left[i] * right[j];
    }
}

/// sums[i][j] += row y + 16·i of weights [tile, tile] · column x + 16·j of b
template <class Tile>
__device__ __forceinline__ void addPlain(float (&sums)[Tile::each][Tile::eachColumn], const float* weights,
                                         const float* b) {
    const int y = static_cast<int>(threadIdx.x) / Tile::side;
    const int x = static_cast<int>(threadIdx.x) % Tile::side;
#pragma unroll 2
    for (int k = 0; k < Tile::tile; ++k) {
        float left[Tile::each];
#pragma unroll
        for (int i = 0; i < Tile::each; ++i) left[i] = weights[(y + Tile::side * i) * (Tile::tile + 1) + k];
#pragma unroll
        for (int j = 0; j < Tile::eachColumn; ++j) {
            const float right = b[k * Tile::stride + x + Tile::side * j];
#pragma unroll
            for (int i = 0; i < Tile::each; ++i) sums[i][j] += left[i] * right;
        }
    }
}

template <class T, class Tile>
__device__ __forceinline__ void storePlain(const float (&sums)[Tile::each][Tile::eachColumn],
                                           const float (&factor)[Tile::each], T* matrix, int rowStride, int firstRow,
                                           int lastRow, int width) {
    const int y = static_cast<int>(threadIdx.x) / Tile::side;
    const int x = static_cast<int>(threadIdx.x) % Tile::side;
#pragma unroll
    for (int i = 0; i < Tile::each; ++i) {
        const int row = firstRow + y + Tile::side * i;
#pragma unroll
        for (int j = 0; j < Tile::eachColumn; ++j) {
            const int column = x + Tile::side * j;
            if (row < lastRow && column < width)
                matrix[static_cast<std::int64_t>(row) * rowStride + column] = static_cast<T>(sums[i][j] * factor[i]);
        }
    }
}

/// The maximum over the sixteen threads of a row of threads, which are half a warp.
__device__ __forceinline__ float rowMaximum(float x) {
    for (int distance = 8; distance > 0; distance /= 2) x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFu, x, distance));
    return x;
}
__device__ __forceinline__ float rowSum(float x) {
    for (int distance = 8; distance > 0; distance /= 2) x += __shfl_xor_sync(0xFFFFFFFFu, x, distance);
    return x;
}

template <class T, class Tile>
__device__ __forceinline__ void attendPlain(const AttentionArguments& a) {
    constexpr int tile = Tile::tile;
    constexpr int each = Tile::each;
    float* const ownQueries = reinterpret_cast<float*>(sharedBytes());
    float* const keys = ownQueries + Tile::matrix;
    float* const values = keys + Tile::matrix;
    float* const weights = values + Tile::matrix;
    const BlockOfHead work(a, (a.sequence + tile - 1) / tile, true);
    const Head head(a, work.number);
    const int rowStride = 3 * head.hidden;
    const T* const queries = static_cast<const T*>(a.qkv) + head.qkv;
    const int first = work.block * tile;
    const int y = static_cast<int>(threadIdx.x) / Tile::side;
    const int x = static_cast<int>(threadIdx.x) % Tile::side;
    const HeadRule<true> rule(a.rule, head.head);
    const HeadDropout dropout(a, head);
    const bool drops = a.dropout.mask.share > 0;

    loadPlain<T, Tile>(ownQueries, queries, rowStride, first, a.sequence, a.width);
    float output[each][Tile::eachColumn] = {};
    float highest[each];
    float sum[each];
    DroppedRow dropped[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
        highest[i] = -INFINITY;
        sum[i] = 0;
        if (drops) dropped[i] = dropout.row(first + y + Tile::side * i);
    }
    for (int firstKey = a.firstSeen(first) / tile * tile; firstKey <= first; firstKey += tile) {
        __syncthreads();
        loadPlain<T, Tile>(keys, queries + head.hidden, rowStride, firstKey, a.sequence, a.width);
        loadPlain<T, Tile>(values, queries + 2 * head.hidden, rowStride, firstKey, a.sequence, a.width);
        __syncthreads();
        float p[each][each];
        multiplyPlain<Tile>(p, ownQueries, keys, a.width);
#pragma unroll
        for (int i = 0; i < each; ++i) {
            const int query = first + y + Tile::side * i;
            float top = highest[i];
#pragma unroll
            for (int j = 0; j < each; ++j) {
                const int key = firstKey + x + Tile::side * j;
                // Finite, for a row may see no key of this tile: what it sums up is lost with its first key.
                p[i][j] = key > query ? -INFINITY : a.sees(query, key) ? rule(p[i][j] * a.scale, query - key) : -1e30f;
                top = fmaxf(top, p[i][j]);
            }
            top = rowMaximum(top);
            const float factor = expf(highest[i] - top);
            highest[i] = top;
            float total = 0;
#pragma unroll
            for (int j = 0; j < each; ++j) {
                p[i][j] = expf(p[i][j] - top);
                total += p[i][j];
                const int column = x + Tile::side * j;
                if (drops && !dropped[i].keeps(firstKey + column, dropout.least)) p[i][j] = 0;
                weights[(y + Tile::side * i) * (tile + 1) + column] = p[i][j];
            }
            sum[i] = sum[i] * factor + rowSum(total);
#pragma unroll
            for (int j = 0; j < Tile::eachColumn; ++j) output[i][j] *= factor;
        }
        __syncthreads();
        addPlain<Tile>(output, weights, values);
    }
    float factor[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
        factor[i] = (drops ? dropout.factor : 1.0f) / sum[i];
        const int row = first + y + Tile::side * i;
        float logSum = highest[i] + logf(sum[i]);
        if (a.sinks) {
            const float ofKeys = logSum;
            logSum = withSink(ofKeys, a.sinks[head.head]);
            factor[i] *= expf(ofKeys - logSum);
        }
        if (x == 0 && row < a.sequence) a.logSums[head.rows + row] = logSum;
    }
    storePlain<T, Tile>(output, factor, static_cast<T*>(a.output) + head.output, head.hidden, first, a.sequence,
                        a.width);
}

/// Writes rowDots and the gradient of the queries.
template <class T, class Tile>
__device__ __forceinline__ void queryGradientPlain(const AttentionArguments& a) {
    constexpr int tile = Tile::tile;
    constexpr int each = Tile::each;
    float* const ownQueries = reinterpret_cast<float*>(sharedBytes());
    float* const ownGradients = ownQueries + Tile::matrix;
    float* const keys = ownGradients + Tile::matrix;
    float* const values = keys + Tile::matrix;
    float* const weights = values + Tile::matrix;
    const BlockOfHead work(a, (a.sequence + tile - 1) / tile, true);
    const Head head(a, work.number);
    const int rowStride = 3 * head.hidden;
    const T* const queries = static_cast<const T*>(a.qkv) + head.qkv;
    const int first = work.block * tile;
    const int y = static_cast<int>(threadIdx.x) / Tile::side;
    const int x = static_cast<int>(threadIdx.x) % Tile::side;
    const HeadRule<true> rule(a.rule, head.head);
    const HeadDropout dropout(a, head);
    const bool drops = a.dropout.mask.share > 0;

    loadPlain<T, Tile>(ownQueries, queries, rowStride, first, a.sequence, a.width);
    loadPlain<T, Tile>(ownGradients, static_cast<const T*>(a.outputGradient) + head.output, head.hidden, first,
                       a.sequence, a.width);
    loadPlain<T, Tile>(keys, static_cast<const T*>(a.output) + head.output, head.hidden, first, a.sequence, a.width);
    __syncthreads();
    float logSum[each];
    float dots[each];
    DroppedRow dropped[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const int own = y + Tile::side * i;
        float dot = 0;
        for (int column = x; column < a.width; column += Tile::side)
            dot += ownGradients[own * Tile::stride + column] * keys[own * Tile::stride + column];
        dots[i] = rowSum(dot);
        const int row = first + own;
        if (x == 0 && row < a.sequence) a.rowDots[head.rows + row] = dots[i];
        logSum[i] = row < a.sequence ? a.logSums[head.rows + row] : 0.0f;
        if (drops) dropped[i] = dropout.row(row);
    }
    float gradient[each][Tile::eachColumn] = {};
    for (int firstKey = a.firstSeen(first) / tile * tile; firstKey <= first; firstKey += tile) {
        __syncthreads();
        loadPlain<T, Tile>(keys, queries + head.hidden, rowStride, firstKey, a.sequence, a.width);
        loadPlain<T, Tile>(values, queries + 2 * head.hidden, rowStride, firstKey, a.sequence, a.width);
        __syncthreads();
        float p[each][each];
        float dP[each][each];
        multiplyPlain<Tile>(p, ownQueries, keys, a.width);
        multiplyPlain<Tile>(dP, ownGradients, values, a.width);
#pragma unroll
        for (int i = 0; i < each; ++i)
#pragma unroll
            for (int j = 0; j < each; ++j) {
                const int own = y + Tile::side * i;
                const int key = firstKey + x + Tile::side * j;
                const int distance = first + own - key;
                const float score = rule(p[i][j] * a.scale, distance);
                const float probability = a.sees(first + own, key) ? expf(score - logSum[i]) : 0.0f;
                float d = dP[i][j];
                if (drops) d = dropped[i].keeps(key, dropout.least) ? d * dropout.factor : 0.0f;
                weights[own * (tile + 1) + x + Tile::side * j] =
                    probability * rule.derivative(score, distance) * (d - dots[i]);
            }
        __syncthreads();
        addPlain<Tile>(gradient, weights, keys);
    }
    float factor[each];
#pragma unroll
    for (int i = 0; i < each; ++i) factor[i] = a.scale;
    storePlain<T, Tile>(gradient, factor, static_cast<T*>(a.qkvGradient) + head.qkv, rowStride, first, a.sequence,
                        a.width);
}

/// Reads rowDots; writes the gradients of keys and values. Rows are keys.
template <class T, class Tile>
__device__ __forceinline__ void keyValueGradientPlain(const AttentionArguments& a) {
    constexpr int tile = Tile::tile;
    constexpr int each = Tile::each;
    float* const ownKeys = reinterpret_cast<float*>(sharedBytes());
    float* const ownValues = ownKeys + Tile::matrix;
    float* const q = ownValues + Tile::matrix;
    float* const dO = q + Tile::matrix;
    float* const probabilities = dO + Tile::matrix;
    float* const weights = probabilities + Tile::square;
    float* const logSums = weights + Tile::square;
    float* const dots = logSums + tile;
    const BlockOfHead work(a, (a.sequence + tile - 1) / tile, false);
    const Head head(a, work.number);
    const int rowStride = 3 * head.hidden;
    const T* const queries = static_cast<const T*>(a.qkv) + head.qkv;
    const int first = work.block * tile;
    const int y = static_cast<int>(threadIdx.x) / Tile::side;
    const int x = static_cast<int>(threadIdx.x) % Tile::side;
    const HeadRule<true> rule(a.rule, head.head);
    const HeadDropout dropout(a, head);
    const bool drops = a.dropout.mask.share > 0;

    loadPlain<T, Tile>(ownKeys, queries + head.hidden, rowStride, first, a.sequence, a.width);
    loadPlain<T, Tile>(ownValues, queries + 2 * head.hidden, rowStride, first, a.sequence, a.width);
    float keyGradient[each][Tile::eachColumn] = {};
    float valueGradient[each][Tile::eachColumn] = {};
    const int end = a.endOfQueries(min(first + tile, a.sequence) - 1);
    for (int firstQuery = first; firstQuery < end; firstQuery += tile) {
        __syncthreads();
        loadPlain<T, Tile>(q, queries, rowStride, firstQuery, a.sequence, a.width);
        loadPlain<T, Tile>(dO, static_cast<const T*>(a.outputGradient) + head.output, head.hidden, firstQuery,
                           a.sequence, a.width);
        for (int i = static_cast<int>(threadIdx.x); i < tile; i += Tile::threads) {
            const bool valid = firstQuery + i < a.sequence;
            logSums[i] = valid ? a.logSums[head.rows + firstQuery + i] : 0.0f;
            dots[i] = valid ? a.rowDots[head.rows + firstQuery + i] : 0.0f;
        }
        __syncthreads();
        float p[each][each];
        float dP[each][each];
        multiplyPlain<Tile>(p, ownKeys, q, a.width);
        multiplyPlain<Tile>(dP, ownValues, dO, a.width);
#pragma unroll
        for (int j = 0; j < each; ++j) {
            const int column = x + Tile::side * j;
            const int query = firstQuery + column;
            DroppedRow row;
            if (drops) row = dropout.row(query);
#pragma unroll
            for (int i = 0; i < each; ++i) {
                const int own = y + Tile::side * i;
                const int distance = query - first - own;
                const float score = rule(p[i][j] * a.scale, distance);
                const float probability = a.sees(query, first + own) ? expf(score - logSums[column]) : 0.0f;
                const bool keeps = !drops || row.keeps(first + own, dropout.least);
                const float d = keeps ? dP[i][j] * dropout.factor : 0.0f;
                probabilities[own * (tile + 1) + column] = keeps ? probability : 0.0f;
                weights[own * (tile + 1) + column] =
                    probability * rule.derivative(score, distance) * (d - dots[column]);
            }
        }
        __syncthreads();
        addPlain<Tile>(valueGradient, probabilities, dO);
        addPlain<Tile>(keyGradient, weights, q);
    }
    T* const gradient = static_cast<T*>(a.qkvGradient) + head.qkv;
    float factor[each];
#pragma unroll
    for (int i = 0; i < each; ++i) factor[i] = a.scale;
    storePlain<T, Tile>(keyGradient, factor, gradient + head.hidden, rowStride, first, a.sequence, a.width);
#pragma unroll
    for (int i = 0; i < each; ++i) factor[i] = dropout.factor;
    storePlain<T, Tile>(valueGradient, factor, gradient + 2 * head.hidden, rowStride, first, a.sequence, a.width);
}

}  // namespace shardlab::kernels::cuda
