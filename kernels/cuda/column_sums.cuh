// SPDX-License-Identifier: Apache-2.0
// Sums over the rows of a matrix, added to arrays of one value a column. Chunks of rows are summed first, then the sums
// of the chunks, always in the same order.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/grid.cuh"

#include <algorithm>
#include <cstdint>

namespace shardlab::kernels::cuda {

/// partial[chunk, k, column] = Σ over the warps of a block of tileThreads, all of which call it: `sums` has those of a
/// lane's pack, of which the block's first is `firstPack`.
template <int N, int K>
__device__ void storePartialSums(int columns, int firstPack, int chunk, const float (&sums)[K][N], float* partial) {
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    // The lane is the last index, so that no two lanes share a bank.
    __shared__ float parts[tileRows][K * N * tileColumns];
#pragma unroll
    for (int k = 0; k < K; ++k)
#pragma unroll
        for (int j = 0; j < N; ++j) parts[warp][(k * N + j) * tileColumns + lane] = sums[k][j];
    __syncthreads();
    for (int i = warp * tileColumns + lane; i < K * N * tileColumns; i += tileRows * tileColumns) {
        const int of = (firstPack + i % tileColumns) * N + i / tileColumns % N;
        if (of >= columns) continue;
        float sum = 0;
#pragma unroll
        for (int part = 0; part < tileRows; ++part) sum += parts[part][i];
        const std::int64_t k = i / (tileColumns * N);
        partial[(static_cast<std::int64_t>(chunk) * K + k) * columns + of] = sum;
    }
}

/// partial[chunk, k, column] = the sums that values.add<N>(row, column, index, float (&sums)[K][N]) makes over the rows
/// of a chunk.
template <int N, int K, class Values>
__global__ void __launch_bounds__(tileColumns* tileRows)
    partialColumnSumsKernel(int rows, int columns, int chunkRows, Values values, float* partial) {
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    const int column = (static_cast<int>(blockIdx.x) * tileColumns + lane) * N;
    const int begin = static_cast<int>(blockIdx.y) * chunkRows;
    const int end = begin + chunkRows < rows ? begin + chunkRows : rows;
    float sums[K][N] = {};
    if (column < columns) {
#pragma unroll 4
        for (int row = begin + warp; row < end; row += tileRows)
            values.template add<N>(row, column, static_cast<std::int64_t>(row) * columns + column, sums);
    }
    storePartialSums<N, K>(columns, static_cast<int>(blockIdx.x) * tileColumns, static_cast<int>(blockIdx.y), sums,
                           partial);
}

template <class G, int K>
struct ColumnTargets {
    G* arrays[K];
};

/// target k [column] += Σ over chunks of partial[chunk, k, column].
template <int K, class G>
__global__ void __launch_bounds__(tileColumns* tileRows)
    addPartialSumsKernel(int columns, int chunks, const float* partial, ColumnTargets<G, K> targets) {
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    const int column = static_cast<int>(blockIdx.x) * tileColumns + lane;
    const int k = static_cast<int>(blockIdx.y);
    float sum = 0;
    if (column < columns) {
#pragma unroll 4
        for (int chunk = warp; chunk < chunks; chunk += tileRows)
            sum += partial[(static_cast<std::int64_t>(chunk) * K + k) * columns + column];
    }
    __shared__ float parts[tileRows][tileColumns];
    parts[warp][lane] = sum;
    __syncthreads();
    if (warp != 0 || column >= columns) return;
    sum = 0;
#pragma unroll
    for (int part = 0; part < tileRows; ++part) sum += parts[part][lane];
    G* target = targets.arrays[0];
#pragma unroll
    for (int other = 1; other < K; ++other)
        if (other == k) target = targets.arrays[other];
    target[column] = fromFloat<G>(toFloat(target[column]) + sum);
}

/// How the rows of a matrix are cut, so that every multiprocessor has a few blocks.
struct ColumnSumsPlan {
    int chunkRows = 1;
    int chunks = 1;

    ColumnSumsPlan(int rows, int columns, int n, int multiprocessors)
        : ColumnSumsPlan(rows, ceilDiv(columns, tileColumns * n), multiprocessors) {}
    /// For a kernel that has blocks of whole rows too, which then adds up to the same bits.
    static ColumnSumsPlan ofWholeRows(int rows, int multiprocessors) { return {rows, 1, multiprocessors}; }
    /// How many elements `partial` has.
    std::size_t partials(int k, int columns) const {
        return static_cast<std::size_t>(k) * static_cast<std::size_t>(chunks) * static_cast<std::size_t>(columns);
    }

private:
    ColumnSumsPlan(int rows, std::int64_t tiles, int multiprocessors) {
        const std::int64_t most = std::max<std::int64_t>(ceilDiv(rows, 4 * tileRows), 1);
        const std::int64_t wanted = std::clamp<std::int64_t>(4 * multiprocessors / tiles, 1, most);
        chunkRows = static_cast<int>(std::max<std::int64_t>(ceilDiv(rows, wanted), 1));
        chunks = static_cast<int>(ceilDiv(rows, chunkRows));
    }
};

/// Adds the sums of the chunks; partial: [plan.chunks, K, columns].
template <int K, class G>
void launchPartialSums(int columns, const ColumnSumsPlan& plan, const float* partial,
                       const ColumnTargets<G, K>& targets, LaunchQueue& queue) {
    launch("column sums", addPartialSumsKernel<K, G>, dim3(static_cast<unsigned>(ceilDiv(columns, tileColumns)), K),
           tileThreads, queue, columns, plan.chunks, partial, targets);
}

/// Adds the sums; partial: [plan.chunks, K, columns].
template <int N, int K, class G, class Values>
void launchColumnSums(int rows, int columns, const ColumnSumsPlan& plan, const Values& values, float* partial,
                      const ColumnTargets<G, K>& targets, LaunchQueue& queue,
                      const char* name = "partial column sums") {
    if (rows == 0 || columns == 0) return;
    launch(name, partialColumnSumsKernel<N, K, Values>,
           dim3(static_cast<unsigned>(ceilDiv(columns, tileColumns * N)), static_cast<unsigned>(plan.chunks)),
           tileThreads, queue, rows, columns, plan.chunkRows, values, partial);
    launchPartialSums<K, G>(columns, plan, partial, targets, queue);
}

}  // namespace shardlab::kernels::cuda
