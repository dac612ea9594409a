// SPDX-License-Identifier: Apache-2.0
#include "kernels/bias.h"

#include "kernels/cuda/column_sums.cuh"
#include "kernels/cuda/cuda_device.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <class T, class P>
struct AddBias {
    const P* bias;
    const T* residual;  ///< null: none
    T* matrix;

    template <int N>
    __device__ void at(int, int column, std::int64_t index) const {
        auto values = loadPack<N>(matrix + index);
        const auto biases = loadPack<N>(bias + column);
        if (residual) {
            const auto others = loadPack<N>(residual + index);
#pragma unroll
            for (int i = 0; i < N; ++i) values.set(i, values[i] + biases[i] + others[i]);
        } else {
#pragma unroll
            for (int i = 0; i < N; ++i) values.set(i, values[i] + biases[i]);
        }
        storePack(matrix + index, values);
    }
};

template <class T>
struct Rows {
    const T* matrix;

    template <int N>
    __device__ void add(int, int, std::int64_t index, float (&sums)[1][N]) const {
        const auto values = loadPack<N>(matrix + index);
#pragma unroll
        for (int i = 0; i < N; ++i) sums[0][i] += values[i];
    }
};

}  // namespace

void CudaDevice::addBias(int rows, int columns, ConstArray bias, Array matrix) {
    addBiasAndResidual(rows, columns, bias, {nullptr, matrix.type}, matrix);
}

void CudaDevice::addBiasAndResidual(int rows, int columns, ConstArray bias, ConstArray residual, Array matrix) {
    if (!bias) return add(std::int64_t{rows} * columns, residual, matrix);
    withTypes(matrix.type, bias.type, [&](auto t, auto p) {
        using T = typename decltype(t)::Type;
        using P = typename decltype(p)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                launch("addBias", mapMatrixKernel<n(), AddBias<T, P>>, matrixBlocks(rows, columns, n()), tileThreads,
                       *queue_, rows, columns, AddBias<T, P>{as<P>(bias), as<T>(residual), as<T>(matrix)});
            },
            bias.data, residual.data, static_cast<const void*>(matrix.data));
    });
}

void CudaDevice::addColumnSums(int rows, int columns, ConstArray gradient, Array bias) {
    withTypes(gradient.type, bias.type, [&](auto t, auto g) {
        using T = typename decltype(t)::Type;
        using G = typename decltype(g)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                const ColumnSumsPlan plan(rows, columns, n(), properties_.multiProcessorCount);
                auto* partial = scratch<float>(plan.partials(1, columns));
                launchColumnSums<n(), 1, G>(rows, columns, plan, Rows<T>{as<T>(gradient)}, partial,
                                            ColumnTargets<G, 1>{{as<G>(bias)}}, *queue_);
            },
            gradient.data);
    });
}

}  // namespace shardlab::kernels::cuda
