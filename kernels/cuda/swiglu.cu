// SPDX-License-Identifier: Apache-2.0
#include "kernels/swiglu.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/math.cuh"

namespace shardlab::kernels::cuda {

namespace {

/// 1 / (1 + e^(−x)).
__device__ float gateShare(float x) { return __fdividef(1.0f, 1.0f + powerOfE(-x)); }

template <class T>
struct Swiglu {
    int columns;
    const T* joined;
    T* output;

    template <int N>
    __device__ void at(int row, int column, std::int64_t index) const {
        const T* gates = joined + static_cast<std::int64_t>(row) * 2 * columns + column;
        const auto gate = loadPack<N>(gates);
        const auto up = loadPack<N>(gates + columns);
        Pack<T, N> out;
#pragma unroll
        for (int i = 0; i < N; ++i) out.set(i, gate[i] * gateShare(gate[i]) * up[i]);
        storePack(output + index, out);
    }
};

template <class T>
struct SwigluGrad {
    int columns;
    const T* outputGradient;
    T* joined;

    template <int N>
    __device__ void at(int row, int column, std::int64_t index) const {
        T* gates = joined + static_cast<std::int64_t>(row) * 2 * columns + column;
        auto gate = loadPack<N>(gates);
        auto up = loadPack<N>(gates + columns);
        const auto gradient = loadPack<N>(outputGradient + index);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const float x = gate[i];
            const float share = gateShare(x);
            gate.set(i, gradient[i] * up[i] * (share + x * share * (1.0f - share)));
            up.set(i, gradient[i] * (x * share));
        }
        storePack(gates, gate);
        storePack(gates + columns, up);
    }
};

}  // namespace

void CudaDevice::swiglu(int rows, int columns, ConstArray joined, Array output) {
    withType(joined.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                launch("swiglu", mapMatrixKernel<n(), Swiglu<T>>, matrixBlocks(rows, columns, n()), tileThreads,
                       *queue_, rows, columns, Swiglu<T>{columns, as<T>(joined), as<T>(output)});
            },
            joined.data, static_cast<const void*>(output.data));
    });
}

void CudaDevice::swigluGrad(int rows, int columns, ConstArray outputGradient, Array joined) {
    withType(joined.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                launch("swigluGrad", mapMatrixKernel<n(), SwigluGrad<T>>, matrixBlocks(rows, columns, n()), tileThreads,
                       *queue_, rows, columns, SwigluGrad<T>{columns, as<T>(outputGradient), as<T>(joined)});
            },
            outputGradient.data, static_cast<const void*>(joined.data));
    });
}

}  // namespace shardlab::kernels::cuda
