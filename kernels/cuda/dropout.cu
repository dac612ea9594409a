// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/dropout_mask.cuh"
#include "kernels/cuda/grid.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <class T>
struct Drop {
    DropoutKeep keep;
    const T* matrix;
    T* output;

    template <int N>
    __device__ void at(int row, int column, std::int64_t index) const {
        const DropoutRow mask(keep, row);
        auto values = loadPack<N>(matrix + index);
#pragma unroll
        for (int i = 0; i < N; ++i) values.set(i, values[i] * mask(static_cast<std::uint32_t>(column + i)));
        storePack(output + index, values);
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
    dropoutTo(rows, columns, mask, matrix, matrix);
}

void CudaDevice::dropoutTo(int rows, int columns, const DropoutMask& mask, ConstArray matrix, Array output) {
    withType(matrix.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                launch("dropout", mapMatrixKernel<n(), Drop<T>>, matrixBlocks(rows, columns, n()), tileThreads, *queue_,
                       rows, columns, Drop<T>{DropoutKeep(mask), as<T>(matrix), as<T>(output)});
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
