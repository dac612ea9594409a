// SPDX-License-Identifier: Apache-2.0
// A warp takes a row, and a lane sparseNeighbours of its columns.
#include "kernels/sparse_floats.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/reduce.cuh"

namespace shardlab::kernels::cuda {

namespace {

constexpr int sparseNeighbours = sparseColumns / warpSize_;
constexpr int sparseWarps = elementThreads / warpSize_;
constexpr int beginThreads = 1024;

/// The sum over the lanes below, in a warp whose lanes all call it; `all` becomes that over the whole warp.
__device__ std::int32_t lanesBelow(int lane, std::int32_t own, std::int32_t& all) {
    std::int32_t below = 0;
    all = own;
#pragma unroll
    for (int distance = 1; distance < warpSize_; distance *= 2) {
        const std::int32_t other = __shfl_xor_sync(0xFFFFFFFFu, all, distance);
        if (lane & distance) below += other;
        all += other;
    }
    return below;
}

/// Calls function(row, lane) for each row; all lanes of a warp have the same one.
template <class Function>
__device__ void overSparseRows(std::int64_t rows, Function&& function) {
    const int warp = static_cast<int>(threadIdx.x) / warpSize_, lane = static_cast<int>(threadIdx.x) % warpSize_;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * sparseWarps;
    for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * sparseWarps + warp; row < rows; row += stride)
        function(row, lane);
}

/// The bits of a lane's columns of a row, 0 beyond the last number.
template <class Word>
struct Neighbours {
    Word words[sparseNeighbours];
    std::int32_t nonzeros = 0;

    __device__ Neighbours(std::int64_t count, std::int64_t first, const Word* from) {
        const bool packs = reinterpret_cast<std::uintptr_t>(from) % 16 == 0;
        if (packs && first + sparseNeighbours <= count) {
            constexpr int n = packOf<Word>;
#pragma unroll
            for (int i = 0; i < sparseNeighbours; i += n) {
                const Pack<Word, n> pack = loadPack<n>(from + first + i);
#pragma unroll
                for (int k = 0; k < n; ++k) words[i + k] = pack.values[k];
            }
        } else {
#pragma unroll
            for (int i = 0; i < sparseNeighbours; ++i) words[i] = first + i < count ? from[first + i] : Word{0};
        }
#pragma unroll
        for (int i = 0; i < sparseNeighbours; ++i) nonzeros += words[i] != 0;
    }
};

template <class Word>
__global__ void countNonzerosKernel(std::int64_t count, std::int64_t rows, const Word* from, std::int32_t* begins) {
    overSparseRows(rows, [=](std::int64_t row, int lane) {
        const Neighbours<Word> own(count, row * sparseColumns + lane * sparseNeighbours, from);
        const std::int32_t all = warpSum(own.nonzeros);
        if (lane == 0) begins[row] = all;
    });
}

/// Counts of rows become where rows begin, with the sum of all behind them. One block; a thread takes neighbours.
__global__ void __launch_bounds__(beginThreads) rowBeginsKernel(std::int64_t rows, std::int32_t* begins) {
    __shared__ std::int32_t warps[beginThreads / warpSize_];
    const int warp = static_cast<int>(threadIdx.x) / warpSize_, lane = static_cast<int>(threadIdx.x) % warpSize_;
    const std::int64_t each = (rows + beginThreads - 1) / beginThreads;
    const std::int64_t first = static_cast<std::int64_t>(threadIdx.x) * each;
    const std::int64_t end = first + each < rows ? first + each : rows;
    std::int32_t own = 0;
    for (std::int64_t row = first; row < end; ++row) own += begins[row];
    std::int32_t all = 0;
    std::int32_t begin = lanesBelow(lane, own, all);
    if (lane == 0) warps[warp] = all;
    __syncthreads();
    for (int before = 0; before < warp; ++before) begin += warps[before];
    for (std::int64_t row = first; row < end; ++row) {
        const std::int32_t some = begins[row];
        begins[row] = begin;
        begin += some;
    }
    if (threadIdx.x == beginThreads - 1) begins[rows] = begin;
}

template <class Word>
__global__ void packNonzerosKernel(std::int64_t count, std::int64_t rows, const Word* from, const std::int32_t* begins,
                                   Word* values, std::uint8_t* columns) {
    overSparseRows(rows, [=](std::int64_t row, int lane) {
        const Neighbours<Word> own(count, row * sparseColumns + lane * sparseNeighbours, from);
        std::int32_t all = 0;
        std::int64_t at = begins[row] + lanesBelow(lane, own.nonzeros, all);
#pragma unroll
        for (int i = 0; i < sparseNeighbours; ++i) {
            if (own.words[i] == 0) continue;
            values[at] = own.words[i];
            columns[at++] = static_cast<std::uint8_t>(lane * sparseNeighbours + i);
        }
    });
}

template <class Word>
__global__ void unpackNonzerosKernel(std::int64_t count, std::int64_t rows, const std::int32_t* begins,
                                     const Word* values, const std::uint8_t* columns, Word* to) {
    overSparseRows(rows, [=](std::int64_t row, int lane) {
        const std::int64_t first = row * sparseColumns;
        for (std::int64_t i = first + lane; i < first + sparseColumns && i < count; i += warpSize_) to[i] = Word{0};
        __syncwarp();
        for (std::int64_t at = begins[row] + lane; at < begins[row + 1]; at += warpSize_)
            to[first + columns[at]] = values[at];
    });
}

/// Calls function(Of<Word>{}), where Word has the bits of a number.
template <class Function>
void withBits(DType type, Function&& function) {
    if (sizeOf(type) == 4) return function(Of<std::uint32_t>{});
    function(Of<std::uint16_t>{});
}

unsigned sparseBlocks(std::int64_t count) { return elementBlocks(sparseRows(count) * warpSize_, 1); }

}  // namespace

void CudaDevice::countNonzeros(std::int64_t count, ConstArray from, std::int32_t* begins) {
    withBits(from.type, [&](auto w) {
        using Word = typename decltype(w)::Type;
        launch("countNonzeros", countNonzerosKernel<Word>, sparseBlocks(count), elementThreads, *queue_, count,
               sparseRows(count), as<Word>(from), begins);
    });
    launch("rowBegins", rowBeginsKernel, 1, beginThreads, *queue_, sparseRows(count), begins);
}

void CudaDevice::packNonzeros(std::int64_t count, std::int64_t nonzeros, ConstArray from, const std::int32_t* begins,
                              std::uint8_t* packed) {
    withBits(from.type, [&](auto w) {
        using Word = typename decltype(w)::Type;
        auto* const values = reinterpret_cast<Word*>(packed);
        launch("packNonzeros", packNonzerosKernel<Word>, sparseBlocks(count), elementThreads, *queue_, count,
               sparseRows(count), as<Word>(from), begins, values, reinterpret_cast<std::uint8_t*>(values + nonzeros));
    });
}

void CudaDevice::unpackNonzeros(std::int64_t count, std::int64_t nonzeros, const std::int32_t* begins,
                                const std::uint8_t* packed, Array to) {
    withBits(to.type, [&](auto w) {
        using Word = typename decltype(w)::Type;
        const auto* const values = reinterpret_cast<const Word*>(packed);
        launch("unpackNonzeros", unpackNonzerosKernel<Word>, sparseBlocks(count), elementThreads, *queue_, count,
               sparseRows(count), begins, values, reinterpret_cast<const std::uint8_t*>(values + nonzeros),
               as<Word>(to));
    });
}

}  // namespace shardlab::kernels::cuda
