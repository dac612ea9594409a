// SPDX-License-Identifier: Apache-2.0
#include "kernels/expert_rows.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/reduce.cuh"

namespace shardlab::kernels::cuda {

namespace {

constexpr int dotsOfBlock = 8;  ///< one for each warp

__device__ bool isAmong(std::int32_t row, int first, int count) { return row >= first && row - first < count; }

template <class T>
struct Gather {
    int choices;
    const std::int32_t* places;
    const float* weights;  ///< null: 1
    const T* from;
    T* to;
    int columns;

    template <int N>
    __device__ void at(int row, int column, std::int64_t index) const {
        Pack<T, N> out;
        const std::int32_t place = places[row];
        if (place < 0) {
#pragma unroll
            for (int i = 0; i < N; ++i) out.set(i, 0.0f);
        } else {
            const float factor = weights ? weights[place] : 1.0f;
            const auto values = loadPack<N>(from + static_cast<std::int64_t>(place / choices) * columns + column);
#pragma unroll
            for (int i = 0; i < N; ++i) out.set(i, factor * values[i]);
        }
        storePack(to + index, out);
    }
};

template <class T>
struct SumOfRows {
    int choices;
    const std::int32_t* rows;
    int first, count;
    const float* weights;  ///< null: 1
    const T* from;
    T* to;
    int columns;

    template <int N>
    __device__ void at(int token, int column, std::int64_t index) const {
        float sums[N] = {};
        for (int j = 0; j < choices; ++j) {
            const std::int64_t place = static_cast<std::int64_t>(token) * choices + j;
            const std::int32_t row = rows[place];
            if (!isAmong(row, first, count)) continue;
            const float factor = weights ? weights[place] : 1.0f;
            const auto values = loadPack<N>(from + static_cast<std::int64_t>(row - first) * columns + column);
#pragma unroll
            for (int i = 0; i < N; ++i) sums[i] += factor * values[i];
        }
        Pack<T, N> out;
#pragma unroll
        for (int i = 0; i < N; ++i) out.set(i, sums[i]);
        storePack(to + index, out);
    }
};

template <class T>
__global__ void __launch_bounds__(dotsOfBlock* warpSize_)
    dotRowsKernel(std::int64_t dotsWanted, int columns, int choices, const std::int32_t* rows, int first, int count,
                  const T* from, const T* matrix, float* dots) {
    const std::int64_t place = static_cast<std::int64_t>(blockIdx.x) * dotsOfBlock + threadIdx.x / warpSize_;
    if (place >= dotsWanted) return;
    const int lane = static_cast<int>(threadIdx.x) % warpSize_;
    const std::int32_t row = rows[place];
    float sum = 0;
    if (isAmong(row, first, count)) {
        const T* const a = from + static_cast<std::int64_t>(row - first) * columns;
        const T* const b = matrix + place / choices * columns;
        for (int c = lane; c < columns; c += warpSize_) sum += toFloat(a[c]) * toFloat(b[c]);
    }
    sum = warpSum(sum);
    if (lane == 0) dots[place] = sum;
}

}  // namespace

void CudaDevice::gatherRows(int rows, int columns, int choices, const std::int32_t* places, const float* weights,
                            ConstArray from, Array to) {
    withType(to.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                launch("gatherRows", mapMatrixKernel<n(), Gather<T>>, matrixBlocks(rows, columns, n()), tileThreads,
                       *queue_, rows, columns, Gather<T>{choices, places, weights, as<T>(from), as<T>(to), columns});
            },
            from.data, static_cast<const void*>(to.data));
    });
}

void CudaDevice::sumRows(int tokens, int columns, int choices, const std::int32_t* rows, int first, int count,
                         const float* weights, ConstArray from, Array to) {
    withType(to.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                launch("sumRows", mapMatrixKernel<n(), SumOfRows<T>>, matrixBlocks(tokens, columns, n()), tileThreads,
                       *queue_, tokens, columns,
                       SumOfRows<T>{choices, rows, first, count, weights, as<T>(from), as<T>(to), columns});
            },
            from.data, static_cast<const void*>(to.data));
    });
}

void CudaDevice::dotRows(int tokens, int columns, int choices, const std::int32_t* rows, int first, int count,
                         ConstArray from, ConstArray matrix, float* dots) {
    withType(matrix.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        const std::int64_t wanted = static_cast<std::int64_t>(tokens) * choices;
        launch("dotRows", dotRowsKernel<T>, static_cast<unsigned>(ceilDiv(wanted, dotsOfBlock)),
               dotsOfBlock * warpSize_, *queue_, wanted, columns, choices, rows, first, count, as<T>(from),
               as<T>(matrix), dots);
    });
}

}  // namespace shardlab::kernels::cuda
