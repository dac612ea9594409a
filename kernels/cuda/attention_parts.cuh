// SPDX-License-Identifier: Apache-2.0
// Parts that forward and backward of the attention share: where the rows of a head lie, which rows a block takes, tiles
// in shared memory, fragments of rows, the mask of dropout.
#pragma once

#include "kernels/attention.h"
#include "kernels/cuda/head_rule.cuh"
#include "kernels/cuda/warp_matrix.cuh"

namespace shardlab::kernels::cuda {

/// Pointers to T; those that a pass does not need are null.
struct AttentionArguments {
    int sequence = 0;
    int heads = 0;
    int width = 0;
    int samples = 0;
    float scale = 0;       ///< 1/√width
    int window = 1 << 30;  ///< most keys that a query sees
    ScoreRule rule;
    const float* sinks = nullptr;  ///< [heads]; null: none

    /// A key before this one is seen by no query from `query` on.
    __device__ __forceinline__ int firstSeen(int query) const { return query < window ? 0 : query - window + 1; }
    __device__ __forceinline__ bool sees(int query, int key) const { return key <= query && query - key < window; }
    /// Below it are the queries that see a key.
    __device__ __forceinline__ int endOfQueries(int key) const {
        return sequence - key <= window ? sequence : key + window;
    }
    AttentionDropout dropout;
    const void* qkv = nullptr;
    void* output = nullptr;
    float* logSums = nullptr;  ///< [samples, heads, sequence]
    const void* outputGradient = nullptr;
    float* rowDots = nullptr;  ///< [samples, heads, sequence]: Σ output·outputGradient of a row
    void* qkvGradient = nullptr;
};

constexpr float log2e = 1.44269504f;

/// One head of one sample. Rows of queries, keys and values are 3·hidden elements apart, rows of the output hidden.
struct Head {
    int sample = 0;
    int head = 0;
    std::int64_t rows = 0;    ///< rows of all heads before this one, where its statistics begin
    std::int64_t qkv = 0;     ///< offset of its first query
    std::int64_t output = 0;  ///< offset of its first row of output
    int hidden = 0;

    __device__ __forceinline__ Head(const AttentionArguments& a, int number)
        : sample(number / a.heads), head(number % a.heads), rows(static_cast<std::int64_t>(number) * a.sequence),
          hidden(a.heads * a.width) {
        const std::int64_t token = static_cast<std::int64_t>(sample) * a.sequence;
        qkv = token * 3 * hidden + head * a.width;
        output = token * hidden + head * a.width;
    }
};

/// Which block of rows of which head a thread block takes. Blocks of a few heads run together, so that their rows stay
/// in cache, and those with the most work run first.
struct BlockOfHead {
    int number = 0;
    int block = 0;

    __device__ __forceinline__ BlockOfHead(const AttentionArguments& a, int blocks, bool lastIsHeavy) {
        constexpr int together = 64;
        const int index = static_cast<int>(blockIdx.x);
        const int first = index / (together * blocks) * together;
        const int members = min(together, a.samples * a.heads - first);
        const int within = index - first * blocks;
        number = first + within % members;
        block = lastIsHeavy ? blocks - 1 - within / members : within / members;
    }
};

/// The columns of a tile's row in shared memory: eight matrix rows of 16 bytes at this distance touch every bank once.
template <int columns>
constexpr int paddedColumns = columns + 8;

/// Starts a copy: tile[rows][paddedColumns] := rows firstRow … of a matrix, zeros beyond its last row and column.
template <class T, int rows, int columns, int threads>
__device__ __forceinline__ void copyTile(T* tile, const T* matrix, int rowStride, int firstRow, int lastRow,
                                         int width) {
    constexpr int chunks = columns / 8;
    constexpr int count = rows * chunks;
    const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < (count + threads - 1) / threads; ++i) {
        const int chunk = i * threads + thread;
        if (count % threads != 0 && chunk >= count) break;
        const int row = chunk / chunks;
        const int column = chunk % chunks * 8;
        const bool valid = firstRow + row < lastRow && column < width;
        const T* from = matrix + (valid ? static_cast<std::int64_t>(firstRow + row) * rowStride + column : 0);
        copyAsync16(tile + row * paddedColumns<columns> + column, from, valid);
    }
}

/// Loads fragments A of rows firstRow … firstRow + 16·tiles straight from global memory.
template <class T, int tiles, int columns>
__device__ __forceinline__ void loadRows(std::uint32_t (&fragments)[tiles][columns / 16][4], const T* matrix,
                                         int rowStride, int firstRow, int lastRow, int width) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int m = 0; m < tiles; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = firstRow + m * 16 + half * 8 + lane / 4;
            const T* from = matrix + static_cast<std::int64_t>(row) * rowStride;
#pragma unroll
            for (int k = 0; k < columns / 16; ++k)
#pragma unroll
                for (int right = 0; right < 2; ++right) {
                    const int column = k * 16 + right * 8 + lane % 4 * 2;
                    const bool valid = row < lastRow && column < width;
                    fragments[m][k][right * 2 + half] =
                        valid ? *reinterpret_cast<const std::uint32_t*>(from + column) : 0u;
                }
        }
}

/// Fragment A of rows firstRow …, columns 16·k … of a tile.
template <class T, int columns>
__device__ __forceinline__ void loadA(std::uint32_t (&a)[4], const T* tile, int firstRow, int k) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    loadMatrices(a, tile + (firstRow + lane % 16) * paddedColumns<columns> + k * 16 + lane / 16 * 8);
}

/// Two fragments B of tileᵀ: columns (rows of the tile) firstRow … +16, rows (columns of the tile) 16·k ….
template <class T, int columns>
__device__ __forceinline__ void loadRowsAsB(std::uint32_t (&b)[4], const T* tile, int firstRow, int k) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    loadMatrices(b, tile + (firstRow + lane / 16 * 8 + lane % 8) * paddedColumns<columns> + k * 16 + lane / 8 % 2 * 8);
}

/// Two fragments B of the tile: rows firstRow … +16, columns 16·n ….
template <class T, int columns>
__device__ __forceinline__ void loadColumnsAsB(std::uint32_t (&b)[4], const T* tile, int firstRow, int n) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    loadMatricesTransposed(b, tile + (firstRow + lane % 16) * paddedColumns<columns> + n * 16 + lane / 16 * 8);
}

/// Rows firstRow … of a matrix := C fragments, where half h of the rows of m is multiplied by factor[m][h]. They pass
/// through `stage`, this warp's [16·tiles][paddedColumns] of shared memory, so that rows are written 16 bytes at a
/// time.
template <class T, int tiles, int columns>
__device__ __forceinline__ void storeRows(const float (&c)[tiles][columns / 8][4], const float (&factor)[tiles][2],
                                          T* stage, T* matrix, int rowStride, int firstRow, int lastRow, int width) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int m = 0; m < tiles; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            T* row = stage + (m * 16 + half * 8 + lane / 4) * paddedColumns<columns> + lane % 4 * 2;
#pragma unroll
            for (int n = 0; n < columns / 8; ++n)
                *reinterpret_cast<std::uint32_t*>(row + n * 8) =
                    packed<T>(c[m][n][half * 2] * factor[m][half], c[m][n][half * 2 + 1] * factor[m][half]);
        }
    __syncwarp();
    constexpr int chunks = columns / 8;
#pragma unroll
    for (int i = 0; i < tiles * 16 * chunks / 32; ++i) {
        const int row = (i * 32 + lane) / chunks;
        const int column = (i * 32 + lane) % chunks * 8;
        if (firstRow + row < lastRow && column < width)
            *reinterpret_cast<uint4*>(matrix + static_cast<std::int64_t>(firstRow + row) * rowStride + column) =
                *reinterpret_cast<const uint4*>(stage + row * paddedColumns<columns> + column);
    }
}

/// One row of the mask (kernels/cpu/dropout_mask.h): the words of the row's hash.
struct DroppedRow {
    static constexpr std::uint32_t ofColumn = 0x9E3779B9u;
    std::uint32_t low = 0;
    std::uint32_t high = 0;

    static __device__ __forceinline__ std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    DroppedRow() = default;
    __device__ __forceinline__ DroppedRow(const DropoutMask& mask, std::int64_t row) {
        const auto number = static_cast<std::uint64_t>(mask.firstRow + row);
        const std::uint64_t word = mix(mix(mask.key + (number + 1) * 0x9E3779B97F4A7C15ull) ^ mask.key);
        low = static_cast<std::uint32_t>(word) + static_cast<std::uint32_t>(mask.firstColumn) * ofColumn;
        high = static_cast<std::uint32_t>(word >> 32);
    }
    __device__ __forceinline__ bool keeps(std::uint32_t column, std::uint32_t least) const {
        std::uint32_t x = low + column * ofColumn;
        x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
        x = ((x ^ (x >> 13)) + high) * 0xC2B2AE35u;
        return (x ^ (x >> 16)) >= least;
    }
};

/// Which of a head's probabilities are dropped.
struct HeadDropout {
    DropoutMask mask;
    std::int64_t firstRow = 0;
    std::uint32_t least = 0;  ///< hashes below are dropped
    float factor = 1;         ///< of elements that are kept

    __device__ __forceinline__ HeadDropout(const AttentionArguments& a, const Head& head)
        : mask(a.dropout.mask),
          firstRow(head.sample * a.dropout.rowsOfSample + static_cast<std::int64_t>(head.head) * a.sequence),
          least(static_cast<std::uint32_t>(static_cast<double>(a.dropout.mask.share) * 4294967296.0)),
          factor(1 / (1 - a.dropout.mask.share)) {}
    __device__ __forceinline__ DroppedRow row(int query) const { return {mask, firstRow + query}; }
};

}  // namespace shardlab::kernels::cuda
