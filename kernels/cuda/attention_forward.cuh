// SPDX-License-Identifier: Apache-2.0
// Forward on tensor cores (2307.08691): a block holds a few rows of queries of one head and passes over the keys and
// values that they see, tile by tile; no probability leaves the registers.
#pragma once

#include "kernels/cuda/attention_parts.cuh"

#include <cmath>
#include <type_traits>

namespace shardlab::kernels::cuda {

/// The sizes of a block: each of `warps` has rowTiles·16 queries and meets `keys` keys at a time.
template <int warps_, int rowTiles_, int keys_, int blocksPerMultiprocessor_>
struct ForwardTile {
    static constexpr int warps = warps_;
    static constexpr int rowTiles = rowTiles_;
    static constexpr int keys = keys_;
    static constexpr int blocksPerMultiprocessor = blocksPerMultiprocessor_;
    static constexpr int threads = warps * 32;
    static constexpr int queries = warps * rowTiles * 16;

    template <int columns>
    static constexpr int sharedBytes = 2 * (4 * keys > queries ? 4 * keys : queries) * paddedColumns<columns>;
};

/// The sizes for heads of up to `columns`.
template <int columns>
using ForwardTileOf = std::conditional_t<columns <= 64, ForwardTile<4, 2, 64, 2>, ForwardTile<8, 1, 64, 1>>;

/// How far (as a power of two) a row's maximum may lag behind before the sums are scaled again. Sums stay far from
/// overflow, and most tiles need no scaling.
constexpr float lazyPowers = 8;

/// The running softmax of a warp's rows, after each tile of scores.
template <int rowTiles>
struct RunningSoftmax {
    float highest[rowTiles][2];
    float sum[rowTiles][2];  ///< over the scores that this lane saw

    __device__ __forceinline__ RunningSoftmax() {
#pragma unroll
        for (int m = 0; m < rowTiles; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                highest[m][half] = -INFINITY;
                sum[m][half] = 0;
            }
    }

    /// scores := 2^(scores·power − highest·power); scales output to the new maxima.
    template <int scoreTiles, int outputTiles>
    __device__ __forceinline__ void add(float (&scores)[rowTiles][scoreTiles][4],
                                        float (&output)[rowTiles][outputTiles][4], float power) {
        float tops[rowTiles][2];
        bool behind = false;
#pragma unroll
        for (int m = 0; m < rowTiles; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float top = highest[m][half];
#pragma unroll
                for (int n = 0; n < scoreTiles; ++n)
                    top = fmaxf(top, fmaxf(scores[m][n][half * 2], scores[m][n][half * 2 + 1]));
                tops[m][half] = quadMaximum(top);
                behind = behind || (tops[m][half] - highest[m][half]) * power > lazyPowers;
            }
        if (anyOfWarp(behind)) {
#pragma unroll
            for (int m = 0; m < rowTiles; ++m)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const float factor = exp2Of((highest[m][half] - tops[m][half]) * power);
                    highest[m][half] = tops[m][half];
                    sum[m][half] *= factor;
#pragma unroll
                    for (int n = 0; n < outputTiles; ++n) {
                        output[m][n][half * 2] *= factor;
                        output[m][n][half * 2 + 1] *= factor;
                    }
                }
        }
#pragma unroll
        for (int m = 0; m < rowTiles; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const float offset = highest[m][half] * power;
                float total = sum[m][half];
#pragma unroll
                for (int n = 0; n < scoreTiles; ++n)
#pragma unroll
                    for (int i = half * 2; i < half * 2 + 2; ++i) {
                        scores[m][n][i] = exp2Of(scores[m][n][i] * power - offset);
                        total += scores[m][n][i];
                    }
                sum[m][half] = total;
            }
    }
};

template <class T, int columns, bool drops, bool ruled, class Tile>
__device__ __forceinline__ void attend(const AttentionArguments& a) {
    constexpr int rowTiles = Tile::rowTiles;
    constexpr int keys = Tile::keys;
    constexpr int tileSize = keys * paddedColumns<columns>;
    T* const tiles = reinterpret_cast<T*>(sharedBytes());  // [2][keys, values]

    const BlockOfHead work(a, (a.sequence + Tile::queries - 1) / Tile::queries, true);
    const Head head(a, work.number);
    const int rowStride = 3 * head.hidden;
    const T* const queries = static_cast<const T*>(a.qkv) + head.qkv;
    const T* const keyRows = queries + head.hidden;
    const T* const valueRows = keyRows + head.hidden;

    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int firstOfBlock = work.block * Tile::queries;
    const int first = firstOfBlock + warp * rowTiles * 16;
    const int last = first + rowTiles * 16 - 1;

    const auto copyNext = [&](int tile) {
        T* const next = tiles + tile % 2 * 2 * tileSize;
        copyTile<T, keys, columns, Tile::threads>(next, keyRows, rowStride, tile * keys, a.sequence, a.width);
        copyTile<T, keys, columns, Tile::threads>(next + tileSize, valueRows, rowStride, tile * keys, a.sequence,
                                                  a.width);
        commitCopies();
    };
    const int firstTile = a.firstSeen(firstOfBlock) / keys;
    copyNext(firstTile);

    std::uint32_t q[rowTiles][columns / 16][4];
    loadRows<T, rowTiles, columns>(q, queries, rowStride, first, a.sequence, a.width);
    float output[rowTiles][columns / 8][4] = {};
    RunningSoftmax<rowTiles> softmax;
    const HeadRule<ruled> rule(a.rule, head.head);
    const HeadDropout dropout(a, head);
    DroppedRow dropped[rowTiles][2];
    if constexpr (drops) {
#pragma unroll
        for (int i = 0; i < rowTiles * 2; ++i) dropped[i / 2][i % 2] = dropout.row(first + i * 8 + lane / 4);
    }
    const float power = a.scale * log2e;

    const int end = min(firstOfBlock + Tile::queries, a.sequence);
    const int count = (end + keys - 1) / keys;
    for (int tile = firstTile; tile < count; ++tile) {
        waitForCopies<0>();
        __syncthreads();
        if (tile + 1 < count) copyNext(tile + 1);
        const int firstKey = tile * keys;
        if (firstKey > last) continue;
        const T* const k = tiles + tile % 2 * 2 * tileSize;
        const T* const v = k + tileSize;

        float scores[rowTiles][keys / 8][4] = {};
#pragma unroll
        for (int i = 0; i < columns / 16; ++i)
#pragma unroll
            for (int n = 0; n < keys / 16; ++n) {
                std::uint32_t b[4];
                loadRowsAsB<T, columns>(b, k, n * 16, i);
#pragma unroll
                for (int m = 0; m < rowTiles; ++m) {
                    multiplyAdd<T>(scores[m][n * 2], q[m][i], b[0], b[1]);
                    multiplyAdd<T>(scores[m][n * 2 + 1], q[m][i], b[2], b[3]);
                }
            }
        if (rule.changes()) {
#pragma unroll
            for (int m = 0; m < rowTiles; ++m)
#pragma unroll
                for (int n = 0; n < keys / 8; ++n)
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        const int query = first + m * 16 + i / 2 * 8 + lane / 4;
                        const int key = firstKey + n * 8 + lane % 4 * 2 + i % 2;
                        scores[m][n][i] = rule(scores[m][n][i] * a.scale, query - key) / a.scale;
                    }
        }
        if (firstKey + keys - 1 > first || firstKey < a.firstSeen(last)) {
#pragma unroll
            for (int m = 0; m < rowTiles; ++m)
#pragma unroll
                for (int n = 0; n < keys / 8; ++n)
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        const int query = first + m * 16 + i / 2 * 8 + lane / 4;
                        const int key = firstKey + n * 8 + lane % 4 * 2 + i % 2;
                        if (key > query) scores[m][n][i] = -INFINITY;
                        // Finite, for a row may see no key of this tile: what it sums up is lost with its first key.
                        else if (!a.sees(query, key)) scores[m][n][i] = -1e30f;
                    }
        }
        softmax.add(scores, output, power);
        if constexpr (drops) {
#pragma unroll
            for (int m = 0; m < rowTiles; ++m)
#pragma unroll
                for (int n = 0; n < keys / 8; ++n)
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        const int key = firstKey + n * 8 + lane % 4 * 2 + i % 2;
                        if (!dropped[m][i / 2].keeps(key, dropout.least)) scores[m][n][i] = 0;
                    }
        }
#pragma unroll
        for (int i = 0; i < keys / 16; ++i) {
            std::uint32_t p[rowTiles][4];
#pragma unroll
            for (int m = 0; m < rowTiles; ++m)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    p[m][j] = packed<T>(scores[m][i * 2 + j / 2][j % 2 * 2], scores[m][i * 2 + j / 2][j % 2 * 2 + 1]);
#pragma unroll
            for (int n = 0; n < columns / 16; ++n) {
                std::uint32_t b[4];
                loadColumnsAsB<T, columns>(b, v, i * 16, n);
#pragma unroll
                for (int m = 0; m < rowTiles; ++m) {
                    multiplyAdd<T>(output[m][n * 2], p[m], b[0], b[1]);
                    multiplyAdd<T>(output[m][n * 2 + 1], p[m], b[2], b[3]);
                }
            }
        }
    }

    __syncthreads();
    float factor[rowTiles][2];
#pragma unroll
    for (int m = 0; m < rowTiles; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float sum = quadSum(softmax.sum[m][half]);
            factor[m][half] = (drops ? dropout.factor : 1.0f) / sum;
            const int row = first + m * 16 + half * 8 + lane / 4;
            float logSum = softmax.highest[m][half] * a.scale + logf(sum);
            if (a.sinks) {
                const float ofKeys = logSum;
                logSum = withSink(ofKeys, a.sinks[head.head]);
                factor[m][half] *= expf(ofKeys - logSum);
            }
            if (lane % 4 == 0 && row < a.sequence) a.logSums[head.rows + row] = logSum;
        }
    storeRows<T, rowTiles, columns>(output, factor, tiles + warp * rowTiles * 16 * paddedColumns<columns>,
                                    static_cast<T*>(a.output) + head.output, head.hidden, first, a.sequence, a.width);
}

}  // namespace shardlab::kernels::cuda
