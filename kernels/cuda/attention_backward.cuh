// SPDX-License-Identifier: Apache-2.0
// Backward on tensor cores, in two passes that each compute the probabilities again. One block sums each gradient in
// one order, so that every call gives the same bits. With S = scale·Q·Kᵀ, P = softmax(S), O = P·V and D = rowsum(dO∘O):
// dV = Pᵀ·dO, dS = P∘(dO·Vᵀ − D), dQ = scale·dS·K, dK = scale·dSᵀ·Q. With a mask M of dropout: dV = (M∘P)ᵀ·dO, dS =
// P∘(M∘(dO·Vᵀ) − D).
#pragma once

#include "kernels/cuda/attention_parts.cuh"

#include <type_traits>

namespace shardlab::kernels::cuda {

/// The sizes of a block in either pass: each of `warps` has rowTiles·16 rows of its own (queries, or keys) and meets
/// `others` at a time (keys, or queries), in steps of `step`.
template <int warps_, int rowTiles_, int others_, int step_, int blocksPerMultiprocessor_>
struct BackwardTile {
    static constexpr int warps = warps_;
    static constexpr int rowTiles = rowTiles_;
    static constexpr int others = others_;
    static constexpr int step = step_;
    static constexpr int blocksPerMultiprocessor = blocksPerMultiprocessor_;
    static constexpr int threads = warps * 32;
    static constexpr int rows = warps * rowTiles * 16;

    /// Shared memory holds rows of 16-bit elements: two tiles of two matrices, and two tiles of the block's own rows.
    /// Beside them it holds, twice, two numbers for each of the others, and two more for dropout.
    template <int columns>
    static constexpr int sharedBytes = (4 * others + 2 * rows) * 2 * paddedColumns<columns> + 2 * 4 * 4 * others;
};

/// The sizes for heads of up to `columns`, in both passes.
template <int columns>
using BackwardTileOf = std::conditional_t<columns <= 64, BackwardTile<4, 2, 64, 32, 2>, BackwardTile<4, 1, 32, 32, 2>>;

/// c += rows of `own` (fragments A) · rows of `tile`ᵀ
template <class T, int columns, int rowTiles, int step>
__device__ __forceinline__ void multiplyRows(float (&c)[rowTiles][step / 8][4], const T* own, int firstOwn,
                                             const T* tile, int firstRow) {
#pragma unroll
    for (int i = 0; i < columns / 16; ++i) {
        std::uint32_t a[rowTiles][4];
#pragma unroll
        for (int m = 0; m < rowTiles; ++m) loadA<T, columns>(a[m], own, firstOwn + m * 16, i);
#pragma unroll
        for (int n = 0; n < step / 16; ++n) {
            std::uint32_t b[4];
            loadRowsAsB<T, columns>(b, tile, firstRow + n * 16, i);
#pragma unroll
            for (int m = 0; m < rowTiles; ++m) {
                multiplyAdd<T>(c[m][n * 2], a[m], b[0], b[1]);
                multiplyAdd<T>(c[m][n * 2 + 1], a[m], b[2], b[3]);
            }
        }
    }
}

/// gradient += weights (C fragments, rounded) · rows firstRow … of `tile`
template <class T, int columns, int rowTiles, int step>
__device__ __forceinline__ void addProduct(float (&gradient)[rowTiles][columns / 8][4],
                                           const float (&weights)[rowTiles][step / 8][4], const T* tile, int firstRow) {
#pragma unroll
    for (int i = 0; i < step / 16; ++i) {
        std::uint32_t a[rowTiles][4];
#pragma unroll
        for (int m = 0; m < rowTiles; ++m)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                a[m][j] = packed<T>(weights[m][i * 2 + j / 2][j % 2 * 2], weights[m][i * 2 + j / 2][j % 2 * 2 + 1]);
#pragma unroll
        for (int n = 0; n < columns / 16; ++n) {
            std::uint32_t b[4];
            loadColumnsAsB<T, columns>(b, tile, firstRow + i * 16, n);
#pragma unroll
            for (int m = 0; m < rowTiles; ++m) {
                multiplyAdd<T>(gradient[m][n * 2], a[m], b[0], b[1]);
                multiplyAdd<T>(gradient[m][n * 2 + 1], a[m], b[2], b[3]);
            }
        }
    }
}

/// Computes for a warp's rows the base-2 logarithms of their sums, and rowDots, which it also writes to memory.
template <class T, int rowTiles, int columns>
__device__ __forceinline__ void loadRowStatistics(const AttentionArguments& a, const Head& head, int first,
                                                  float (&logSum)[rowTiles][2], float (&dots)[rowTiles][2]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    std::uint32_t output[rowTiles][columns / 16][4];
    std::uint32_t gradient[rowTiles][columns / 16][4];
    loadRows<T, rowTiles, columns>(output, static_cast<const T*>(a.output) + head.output, head.hidden, first,
                                   a.sequence, a.width);
    loadRows<T, rowTiles, columns>(gradient, static_cast<const T*>(a.outputGradient) + head.output, head.hidden, first,
                                   a.sequence, a.width);
#pragma unroll
    for (int m = 0; m < rowTiles; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float dot = 0;
#pragma unroll
            for (int i = 0; i < columns / 16; ++i)
#pragma unroll
                for (int right = 0; right < 2; ++right) {
                    const float2 x = unpacked<T>(output[m][i][right * 2 + half]);
                    const float2 y = unpacked<T>(gradient[m][i][right * 2 + half]);
                    dot += x.x * y.x + x.y * y.y;
                }
            dots[m][half] = quadSum(dot);
            const int row = first + m * 16 + half * 8 + lane / 4;
            if (lane % 4 == 0 && row < a.sequence) a.rowDots[head.rows + row] = dots[m][half];
            logSum[m][half] = row < a.sequence ? a.logSums[head.rows + row] * log2e : 0.0f;
        }
}

/// Writes rowDots and the gradient of the queries. A block holds queries and passes over the keys that they see.
template <class T, int columns, bool drops, bool ruled, class Tile>
__device__ __forceinline__ void queryGradient(const AttentionArguments& a) {
    constexpr int rowTiles = Tile::rowTiles;
    constexpr int step = Tile::step;
    constexpr int tileSize = Tile::others * paddedColumns<columns>;
    // [2][keys, values], then the block's queries and their gradients.
    T* const tiles = reinterpret_cast<T*>(sharedBytes());
    T* const ownQueries = tiles + 4 * tileSize;
    T* const ownGradients = ownQueries + Tile::rows * paddedColumns<columns>;

    const BlockOfHead work(a, (a.sequence + Tile::rows - 1) / Tile::rows, true);
    const Head head(a, work.number);
    const int rowStride = 3 * head.hidden;
    const T* const queries = static_cast<const T*>(a.qkv) + head.qkv;
    const T* const keyRows = queries + head.hidden;
    const T* const valueRows = keyRows + head.hidden;
    const T* const outputGradient = static_cast<const T*>(a.outputGradient) + head.output;

    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int ownRow = static_cast<int>(threadIdx.x) / 32 * rowTiles * 16;
    const int firstOfBlock = work.block * Tile::rows;
    const int first = firstOfBlock + ownRow;
    const int last = first + rowTiles * 16 - 1;

    const auto copyNext = [&](int tile) {
        T* const next = tiles + tile % 2 * 2 * tileSize;
        const int firstKey = tile * Tile::others;
        copyTile<T, Tile::others, columns, Tile::threads>(next, keyRows, rowStride, firstKey, a.sequence, a.width);
        copyTile<T, Tile::others, columns, Tile::threads>(next + tileSize, valueRows, rowStride, firstKey, a.sequence,
                                                          a.width);
        commitCopies();
    };
    copyTile<T, Tile::rows, columns, Tile::threads>(ownQueries, queries, rowStride, firstOfBlock, a.sequence, a.width);
    copyTile<T, Tile::rows, columns, Tile::threads>(ownGradients, outputGradient, head.hidden, firstOfBlock, a.sequence,
                                                    a.width);
    const int firstTile = a.firstSeen(firstOfBlock) / Tile::others;
    copyNext(firstTile);

    const float power = a.scale * log2e;
    float logSum[rowTiles][2];
    float dots[rowTiles][2];
    loadRowStatistics<T, rowTiles, columns>(a, head, first, logSum, dots);
    const HeadRule<ruled> rule(a.rule, head.head);
    const HeadDropout dropout(a, head);
    DroppedRow dropped[rowTiles][2];
    if constexpr (drops) {
#pragma unroll
        for (int i = 0; i < rowTiles * 2; ++i) dropped[i / 2][i % 2] = dropout.row(first + i * 8 + lane / 4);
    }

    float gradient[rowTiles][columns / 8][4] = {};
    const int end = min(firstOfBlock + Tile::rows, a.sequence);
    const int count = (end + Tile::others - 1) / Tile::others;
    for (int tile = firstTile; tile < count; ++tile) {
        waitForCopies<0>();
        __syncthreads();
        if (tile + 1 < count) copyNext(tile + 1);
        const T* const k = tiles + tile % 2 * 2 * tileSize;
        const T* const v = k + tileSize;
#pragma unroll 1
        for (int begin = 0; begin < Tile::others; begin += step) {
            const int firstKey = tile * Tile::others + begin;
            if (firstKey > last) break;
            float p[rowTiles][step / 8][4] = {};
            multiplyRows<T, columns, rowTiles, step>(p, ownQueries, ownRow, k, begin);
            const bool onDiagonal = firstKey + step - 1 > first || firstKey < a.firstSeen(last);
#pragma unroll
            for (int m = 0; m < rowTiles; ++m)
#pragma unroll
                for (int n = 0; n < step / 8; ++n)
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        const int query = first + m * 16 + i / 2 * 8 + lane / 4;
                        const int key = firstKey + n * 8 + lane % 4 * 2 + i % 2;
                        if (rule.changes()) {
                            const float score = rule(p[m][n][i] * a.scale, query - key);
                            p[m][n][i] = exp2Of(score * log2e - logSum[m][i / 2]) * rule.derivative(score, query - key);
                        } else {
                            p[m][n][i] = exp2Of(p[m][n][i] * power - logSum[m][i / 2]);
                        }
                        if (onDiagonal && !a.sees(query, key)) p[m][n][i] = 0;
                    }
            float dP[rowTiles][step / 8][4] = {};
            multiplyRows<T, columns, rowTiles, step>(dP, ownGradients, ownRow, v, begin);
#pragma unroll
            for (int m = 0; m < rowTiles; ++m)
#pragma unroll
                for (int n = 0; n < step / 8; ++n)
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        if constexpr (drops) {
                            const int key = firstKey + n * 8 + lane % 4 * 2 + i % 2;
                            const bool keeps = dropped[m][i / 2].keeps(key, dropout.least);
                            dP[m][n][i] = keeps ? dP[m][n][i] * dropout.factor : 0.0f;
                        }
                        p[m][n][i] *= dP[m][n][i] - dots[m][i / 2];
                    }
            addProduct<T, columns, rowTiles, step>(gradient, p, k, begin);
        }
    }

    __syncthreads();
    float factor[rowTiles][2];
#pragma unroll
    for (int i = 0; i < rowTiles * 2; ++i) factor[i / 2][i % 2] = a.scale;
    storeRows<T, rowTiles, columns>(gradient, factor, ownQueries + ownRow * paddedColumns<columns>,
                                    static_cast<T*>(a.qkvGradient) + head.qkv, rowStride, first, a.sequence, a.width);
}

/// Reads rowDots; writes the gradients of keys and values. A block holds keys and passes over the queries that see
/// them. Its scores are transposed (rows are keys), so that each lane already holds the elements that it gives to the
/// products.
template <class T, int columns, bool drops, bool ruled, class Tile>
__device__ __forceinline__ void keyValueGradient(const AttentionArguments& a) {
    constexpr int rowTiles = Tile::rowTiles;
    constexpr int step = Tile::step;
    constexpr int others = Tile::others;
    constexpr int tileSize = others * paddedColumns<columns>;
    T* const tiles = reinterpret_cast<T*>(sharedBytes());  // [2][queries, gradients], then the block's keys and values
    T* const ownKeys = tiles + 4 * tileSize;
    T* const ownValues = ownKeys + Tile::rows * paddedColumns<columns>;
    float* const statistics = reinterpret_cast<float*>(ownValues + Tile::rows * paddedColumns<columns>);
    DroppedRow* const droppedRows = reinterpret_cast<DroppedRow*>(statistics + 4 * others);

    const BlockOfHead work(a, (a.sequence + Tile::rows - 1) / Tile::rows, false);
    const Head head(a, work.number);
    const int rowStride = 3 * head.hidden;
    const T* const queries = static_cast<const T*>(a.qkv) + head.qkv;
    const T* const outputGradient = static_cast<const T*>(a.outputGradient) + head.output;

    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int ownRow = static_cast<int>(threadIdx.x) / 32 * rowTiles * 16;
    const int firstOfBlock = work.block * Tile::rows;
    const int first = firstOfBlock + ownRow;
    const int last = first + rowTiles * 16 - 1;
    const HeadRule<ruled> rule(a.rule, head.head);
    const HeadDropout dropout(a, head);

    const auto copyNext = [&](int tile) {
        T* const next = tiles + tile % 2 * 2 * tileSize;
        const int firstQuery = tile * others;
        copyTile<T, others, columns, Tile::threads>(next, queries, rowStride, firstQuery, a.sequence, a.width);
        copyTile<T, others, columns, Tile::threads>(next + tileSize, outputGradient, head.hidden, firstQuery,
                                                    a.sequence, a.width);
        float* const logSums = statistics + tile % 2 * 2 * others;
        for (int i = static_cast<int>(threadIdx.x); i < others; i += Tile::threads) {
            const int query = firstQuery + i;
            const bool valid = query < a.sequence;
            const std::int64_t at = head.rows + (valid ? query : 0);
            copyAsync4(logSums + i, a.logSums + at, valid);
            copyAsync4(logSums + others + i, a.rowDots + at, valid);
            if constexpr (drops) droppedRows[tile % 2 * others + i] = dropout.row(query);
        }
        commitCopies();
    };
    copyTile<T, Tile::rows, columns, Tile::threads>(ownKeys, queries + head.hidden, rowStride, firstOfBlock, a.sequence,
                                                    a.width);
    copyTile<T, Tile::rows, columns, Tile::threads>(ownValues, queries + 2 * head.hidden, rowStride, firstOfBlock,
                                                    a.sequence, a.width);
    const int count = (a.endOfQueries(min(firstOfBlock + Tile::rows, a.sequence) - 1) + others - 1) / others;
    copyNext(firstOfBlock / others);

    const float power = a.scale * log2e;
    float keyGradient[rowTiles][columns / 8][4] = {};
    float valueGradient[rowTiles][columns / 8][4] = {};
    for (int tile = firstOfBlock / others; tile < count; ++tile) {
        waitForCopies<0>();
        __syncthreads();
        if (tile + 1 < count) copyNext(tile + 1);
        const T* const q = tiles + tile % 2 * 2 * tileSize;
        const T* const dO = q + tileSize;
        const float* const logSums = statistics + tile % 2 * 2 * others;
        const float* const dots = logSums + others;
#pragma unroll 1
        for (int begin = 0; begin < others; begin += step) {
            const int firstQuery = tile * others + begin;
            if (firstQuery + step - 1 < first || firstQuery >= a.sequence) continue;
            float p[rowTiles][step / 8][4] = {};
            multiplyRows<T, columns, rowTiles, step>(p, ownKeys, ownRow, q, begin);
            const bool onDiagonal = firstQuery < last || firstQuery + step > a.endOfQueries(first);
#pragma unroll
            for (int n = 0; n < step / 8; ++n)
#pragma unroll
                for (int right = 0; right < 2; ++right) {
                    const int column = n * 8 + lane % 4 * 2 + right;
                    const float logSum = logSums[begin + column] * log2e;
#pragma unroll
                    for (int m = 0; m < rowTiles; ++m)
#pragma unroll
                        for (int i = right; i < 4; i += 2) {
                            const int key = first + m * 16 + i / 2 * 8 + lane / 4;
                            if (rule.changes())
                                p[m][n][i] =
                                    exp2Of(rule(p[m][n][i] * a.scale, firstQuery + column - key) * log2e - logSum);
                            else p[m][n][i] = exp2Of(p[m][n][i] * power - logSum);
                            if (onDiagonal && !a.sees(firstQuery + column, key)) p[m][n][i] = 0;
                        }
                }
            float dP[rowTiles][step / 8][4] = {};
            multiplyRows<T, columns, rowTiles, step>(dP, ownValues, ownRow, dO, begin);
#pragma unroll
            for (int n = 0; n < step / 8; ++n)
#pragma unroll
                for (int right = 0; right < 2; ++right) {
                    const int column = n * 8 + lane % 4 * 2 + right;
                    const float dot = dots[begin + column];
                    DroppedRow row;
                    if constexpr (drops) row = droppedRows[tile % 2 * others + begin + column];
#pragma unroll
                    for (int m = 0; m < rowTiles; ++m)
#pragma unroll
                        for (int i = right; i < 4; i += 2) {
                            float& d = dP[m][n][i];
                            const int key = first + m * 16 + i / 2 * 8 + lane / 4;
                            float slope = p[m][n][i];
                            if (rule.caps())
                                slope *= rule.derivativeAt(slope, logSums[begin + column], firstQuery + column - key);
                            if constexpr (drops) {
                                const bool keeps = row.keeps(key, dropout.least);
                                d = slope * ((keeps ? d * dropout.factor : 0.0f) - dot);
                                if (!keeps) p[m][n][i] = 0;
                            } else {
                                d = slope * (d - dot);
                            }
                        }
                }
            addProduct<T, columns, rowTiles, step>(valueGradient, p, dO, begin);
            addProduct<T, columns, rowTiles, step>(keyGradient, dP, q, begin);
        }
    }

    __syncthreads();
    T* const gradient = static_cast<T*>(a.qkvGradient) + head.qkv;
    float factor[rowTiles][2];
#pragma unroll
    for (int i = 0; i < rowTiles * 2; ++i) factor[i / 2][i % 2] = a.scale;
    storeRows<T, rowTiles, columns>(keyGradient, factor, ownKeys + ownRow * paddedColumns<columns>,
                                    gradient + head.hidden, rowStride, first, a.sequence, a.width);
#pragma unroll
    for (int i = 0; i < rowTiles * 2; ++i) factor[i / 2][i % 2] = drops ? dropout.factor : 1.0f;
    storeRows<T, rowTiles, columns>(valueGradient, factor, ownValues + ownRow * paddedColumns<columns>,
                                    gradient + 2 * head.hidden, rowStride, first, a.sequence, a.width);
}

}  // namespace shardlab::kernels::cuda
