// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/column_sums.cuh"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/dropout_mask.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <class T>
struct Drop {
    DropoutKeep keep;
    const T* matrix;
    T* output;

    template <int N>
    __device__ Pack<T, N> at(int row, int column, std::int64_t index) const {
        const DropoutRow mask(keep, row);
        auto values = loadPack<N>(matrix + index);
#pragma unroll
        for (int i = 0; i < N; ++i) values.set(i, values[i] * mask(static_cast<std::uint32_t>(column + i)));
        storePack(output + index, values);
        return values;
    }
    template <int N>
    __device__ void add(int row, int column, std::int64_t index, float (&sums)[1][N]) const {
        const auto values = at<N>(row, column, index);
#pragma unroll
        for (int i = 0; i < N; ++i) sums[0][i] += values[i];
    }
};

template <class T>
struct DropNumbered {
    DropoutKeep keep;
    const std::int32_t* numbers;
    T* matrix;

    template <int N>
    __device__ void at(int row, int column, std::int64_t index) const {
        const DropoutRow mask(keep, numbers[row]);
        auto values = loadPack<N>(matrix + index);
#pragma unroll
        for (int i = 0; i < N; ++i) values.set(i, values[i] * mask(static_cast<std::uint32_t>(column + i)));
        storePack(matrix + index, values);
    }
};

template <class T, class P>
struct AddBiasDropResidual {
    DropoutKeep keep;
    const P* bias;
    const T* residual;
    T* matrix;

    template <int N>
    __device__ void at(int row, int column, std::int64_t index) const {
        const DropoutRow mask(keep, row);
        auto values = loadPack<N>(matrix + index);
        const auto biases = loadPack<N>(bias + column);
        const auto others = loadPack<N>(residual + index);
#pragma unroll
        for (int i = 0; i < N; ++i)
            values.set(i, (values[i] + biases[i]) * mask(static_cast<std::uint32_t>(column + i)) + others[i]);
        storePack(matrix + index, values);
    }
};

}  // namespace

void CudaDevice::dropout(int rows, int columns, const DropoutMask& mask, Array matrix) {
    dropoutTo(rows, columns, mask, matrix, matrix, {});
}

void CudaDevice::dropoutNumbered(int rows, int columns, const DropoutMask& mask, const std::int32_t* numbers,
                                 Array matrix) {
    withType(matrix.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                launch("dropout of numbered rows", mapMatrixKernel<n(), DropNumbered<T>>,
                       matrixBlocks(rows, columns, n()), tileThreads, *queue_, rows, columns,
                       DropNumbered<T>{DropoutKeep(mask), numbers, as<T>(matrix)});
            },
            static_cast<const void*>(matrix.data));
    });
}

void CudaDevice::dropoutTo(int rows, int columns, const DropoutMask& mask, ConstArray matrix, Array output,
                           Array bias) {
    withTypes(matrix.type, bias ? bias.type : matrix.type, [&](auto t, auto g) {
        using T = typename decltype(t)::Type;
        using G = typename decltype(g)::Type;
        const Drop<T> drop{DropoutKeep(mask), as<T>(matrix), as<T>(output)};
        withPacks<T>(
            columns,
            [&](auto n) {
                if (bias) {
                    const ColumnSumsPlan plan(rows, columns, n(), properties_.multiProcessorCount);
                    auto* partial = scratch<float>(plan.partials(1, columns));
                    return launchColumnSums<n(), 1, G>(rows, columns, plan, drop, partial,
                                                       ColumnTargets<G, 1>{{as<G>(bias)}}, *queue_,
                                                       "dropout with column sums");
                }
                launch("dropout", mapMatrixKernel<n(), Drop<T>>, matrixBlocks(rows, columns, n()), tileThreads, *queue_,
                       rows, columns, drop);
            },
            matrix.data, static_cast<const void*>(output.data));
    });
}

void CudaDevice::addBiasDropoutAndResidual(int rows, int columns, ConstArray bias, const DropoutMask& mask,
                                           ConstArray residual, Array matrix) {
    withTypes(matrix.type, bias.type, [&](auto t, auto p) {
        using T = typename decltype(t)::Type;
        using P = typename decltype(p)::Type;
        using Map = AddBiasDropResidual<T, P>;
        withPacks<T>(
            columns,
            [&](auto n) {
                launch("addBiasDropoutAndResidual", mapMatrixKernel<n(), Map>, matrixBlocks(rows, columns, n()),
                       tileThreads, *queue_, rows, columns,
                       Map{DropoutKeep(mask), as<P>(bias), as<T>(residual), as<T>(matrix)});
            },
            bias.data, residual.data, static_cast<const void*>(matrix.data));
    });
}

}  // namespace shardlab::kernels::cuda
