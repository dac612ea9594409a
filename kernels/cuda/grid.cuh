// SPDX-License-Identifier: Apache-2.0
// How elements, matrices and many small arrays are distributed over threads.
#pragma once

#include "kernels/cuda/types.cuh"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace shardlab::kernels::cuda {

template <int N>
using Constant = std::integral_constant<int, N>;

constexpr int elementThreads = 256;

/// How many blocks of elementThreads overElements<N> needs.
inline unsigned elementBlocks(std::int64_t count, int n) {
    return static_cast<unsigned>(std::min<std::int64_t>(ceilDiv(count, std::int64_t{elementThreads} * n), 1 << 20));
}

/// Calls function(first, Constant<N>{}) for groups of N elements and function(index, Constant<1>{}) for those left
/// over, distributed over all threads of the grid.
template <int N, class Function>
__device__ void overElements(std::int64_t count, Function&& function) {
    const std::int64_t own = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    const std::int64_t groups = count / N;
    for (std::int64_t group = own; group < groups; group += stride) function(group * N, Constant<N>{});
    if constexpr (N > 1)
        for (std::int64_t i = groups * N + own; i < count; i += stride) function(i, Constant<1>{});
}

/// Calls function(Constant<N>{}), with N = 8 where all of `data` is aligned to 16 bytes, else 1; for any number of
/// elements.
template <class Function, class... Pointers>
void withElements(Function&& function, Pointers... data) {
    if ((aligned(data) && ...)) function(Constant<8>{});
    else function(Constant<1>{});
}

constexpr int tileColumns = 32;  ///< columns of packs, one for each lane
constexpr int tileRows = 8;      ///< one for each warp
const dim3 tileThreads(tileColumns, tileRows);

/// Calls map.template at<N>(row, column, index) for every group of N neighbours of a matrix.
template <int N, class Map>
__global__ void mapMatrixKernel(int rows, int columns, Map map) {
    const int column = (static_cast<int>(blockIdx.x) * tileColumns + static_cast<int>(threadIdx.x)) * N;
    if (column >= columns) return;
    const int stride = static_cast<int>(gridDim.y) * tileRows;
#pragma unroll 4
    for (int row = static_cast<int>(blockIdx.y) * tileRows + static_cast<int>(threadIdx.y); row < rows; row += stride)
        map.template at<N>(row, column, static_cast<std::int64_t>(row) * columns + column);
}

/// The blocks of mapMatrixKernel; each thread takes four rows where there are enough.
inline dim3 matrixBlocks(int rows, int columns, int n) {
    return {static_cast<unsigned>(ceilDiv(columns, tileColumns * n)),
            static_cast<unsigned>(std::min<std::int64_t>(ceilDiv(rows, tileRows * 4), 65535)), 1};
}

/// Many arrays in one launch: they are cut into chunks, and a block takes one chunk. The table is a parameter of the
/// kernel.
template <class Part>
struct PartTable {
    static constexpr int most = 256;
    Part parts[most];
    int firstChunk[most + 1] =
        {};  ///< of each part, then their total, then zeros, so that equal lists have equal bytes
    int count = 0;

    /// The part that chunk `chunk` lies in.
    __device__ int partOf(int chunk) const {
        int low = 0;
        int high = count;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            (firstChunk[middle] <= chunk ? low : high) = middle;
        }
        return low;
    }
};

/// Calls function(table, chunks) for as many tables as the parts need. Part has a `count` of elements.
template <class Part, class Function>
void withTables(std::span<const Part> parts, std::int64_t chunkElements, Function&& function) {
    PartTable<Part> table;
    std::int64_t chunks = 0;
    const auto flush = [&] {
        if (table.count == 0) return;
        table.firstChunk[table.count] = static_cast<int>(chunks);
        function(static_cast<const PartTable<Part>&>(table), static_cast<unsigned>(chunks));
        table.count = 0;
        chunks = 0;
    };
    for (const Part& part : parts) {
        if (part.count == 0) continue;
        table.parts[table.count] = part;
        table.firstChunk[table.count] = static_cast<int>(chunks);
        ++table.count;
        chunks += ceilDiv(part.count, chunkElements);
        if (table.count == PartTable<Part>::most) flush();
    }
    flush();
}

}  // namespace shardlab::kernels::cuda
