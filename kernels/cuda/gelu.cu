// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/gelu.cuh"

#include "kernels/cuda/column_sums.cuh"
#include "kernels/cuda/cuda_device.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <class T, class P>
struct BiasGelu {
    const P* bias;
    T* x;
    T* output;

    template <int N>
    __device__ void at(int, int column, std::int64_t index) const {
        auto values = loadPack<N>(x + index);
        const auto biases = loadPack<N>(bias + column);
        Pack<T, N> out;
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const float sum = values[i] + biases[i];
            values.set(i, sum);
            out.set(i, gelu(sum));
        }
        storePack(x + index, values);
        storePack(output + index, out);
    }
};

template <class T>
struct GeluGradSums {
    const T* outputGradient;
    T* x;

    template <int N>
    __device__ void add(int, int, std::int64_t index, float (&sums)[1][N]) const {
        const auto gradients = loadPack<N>(outputGradient + index);
        auto values = loadPack<N>(x + index);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            values.set(i, gradients[i] * geluSlope(values[i]));
            sums[0][i] += values[i];
        }
        storePack(x + index, values);
    }
};

template <int N, class T>
__global__ void geluGradKernel(std::int64_t count, const T* outputGradient, T* x) {
    overElements<N>(count, [=](std::int64_t at, auto n) {
        const auto gradients = loadPack<n()>(outputGradient + at);
        auto values = loadPack<n()>(x + at);
#pragma unroll
        for (int i = 0; i < n(); ++i) values.set(i, gradients[i] * geluSlope(values[i]));
        storePack(x + at, values);
    });
}

}  // namespace

void CudaDevice::biasGelu(int rows, int columns, ConstArray bias, Array x, Array output) {
    withTypes(x.type, bias.type, [&](auto t, auto p) {
        using T = typename decltype(t)::Type;
        using P = typename decltype(p)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                launch("biasGelu", mapMatrixKernel<n(), BiasGelu<T, P>>, matrixBlocks(rows, columns, n()), tileThreads,
                       *queue_, rows, columns, BiasGelu<T, P>{as<P>(bias), as<T>(x), as<T>(output)});
            },
            bias.data, x.data, output.data);
    });
}

void CudaDevice::geluGrad(std::int64_t count, ConstArray outputGradient, Array x) {
    withType(x.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withElements(
            [&](auto n) {
                launch("geluGrad", geluGradKernel<n(), T>, elementBlocks(count, n()), elementThreads, *queue_, count,
                       as<T>(outputGradient), as<T>(x));
            },
            outputGradient.data, x.data);
    });
}

void CudaDevice::geluGradBias(int rows, int columns, ConstArray outputGradient, Array x, Array bias) {
    withTypes(x.type, bias.type, [&](auto t, auto g) {
        using T = typename decltype(t)::Type;
        using G = typename decltype(g)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                const ColumnSumsPlan plan(rows, columns, n(), properties_.multiProcessorCount);
                auto* partial = scratch<float>(plan.partials(1, columns));
                launchColumnSums<n(), 1, G>(rows, columns, plan, GeluGradSums<T>{as<T>(outputGradient), as<T>(x)},
                                            partial, ColumnTargets<G, 1>{{as<G>(bias)}}, *queue_,
                                            "geluGrad with column sums");
            },
            outputGradient.data, static_cast<const void*>(x.data));
    });
}

}  // namespace shardlab::kernels::cuda
