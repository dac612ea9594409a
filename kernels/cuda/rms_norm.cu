// SPDX-License-Identifier: Apache-2.0
#include "kernels/rms_norm.h"

#include "kernels/cuda/column_sums.cuh"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/lane_row.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <int N, int Held, class T, class P>
__global__ void __launch_bounds__(rowsOfBlock* warpSize_)
    rmsNormKernel(int rows, int columns, float epsilon, const T* input, const P* gamma, float* rstd, T* output) {
    const int row = static_cast<int>(blockIdx.x) * rowsOfBlock + static_cast<int>(threadIdx.x) / warpSize_;
    if (row >= rows) return;
    using Row = LaneRow<T, N, Held>;
    const std::int64_t at = static_cast<std::int64_t>(row) * columns;
    const int groups = columns / N;
    const Row x(input + at, groups);
    float squares = 0;
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
#pragma unroll
        for (int j = 0; j < N; ++j) squares += values[j] * values[j];
    });
    const float factor = 1.0f / sqrtf(warpSum(squares) / static_cast<float>(columns) + epsilon);
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
        const auto scales = loadPack<N>(gamma + group * N);
        Pack<T, N> out;
#pragma unroll
        for (int j = 0; j < N; ++j) out.set(j, values[j] * factor * scales[j]);
        storePack(output + at + group * N, out);
    });
    if (threadIdx.x % warpSize_ == 0) rstd[row] = factor;
}

// With n = x·rstd and g = dy·gamma: dx = rstd·(g − n·mean(g·n)).
template <int N, int Held, class T, class P>
__global__ void __launch_bounds__(rowsOfBlock* warpSize_)
    rmsNormInputGradKernel(int rows, int columns, const T* input, const P* gamma, const float* rstd,
                           const T* outputGradient, const T* residualGradient, T* inputGradient) {
    const int row = static_cast<int>(blockIdx.x) * rowsOfBlock + static_cast<int>(threadIdx.x) / warpSize_;
    if (row >= rows) return;
    using Row = LaneRow<T, N, Held>;
    const std::int64_t at = static_cast<std::int64_t>(row) * columns;
    const int groups = columns / N;
    const Row x(input + at, groups);
    const Row dy(outputGradient + at, groups);
    const float factor = rstd[row];
    float product = 0;
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
        const auto gradients = dy.pack(i, group);
        const auto scales = loadPack<N>(gamma + group * N);
#pragma unroll
        for (int j = 0; j < N; ++j) product += gradients[j] * scales[j] * (values[j] * factor);
    });
    product = warpSum(product) / static_cast<float>(columns);
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
        const auto gradients = dy.pack(i, group);
        const auto scales = loadPack<N>(gamma + group * N);
        float result[N];
#pragma unroll
        for (int j = 0; j < N; ++j) result[j] = factor * (gradients[j] * scales[j] - values[j] * factor * product);
        if (residualGradient) {
            const auto around = loadPack<N>(residualGradient + at + group * N);
#pragma unroll
            for (int j = 0; j < N; ++j) result[j] += around[j];
        }
        Pack<T, N> out;
#pragma unroll
        for (int j = 0; j < N; ++j) out.set(j, result[j]);
        storePack(inputGradient + at + group * N, out);
    });
}

template <class T>
struct ScaleGradients {
    const T* input;
    const float* rstd;
    const T* outputGradient;

    template <int N>
    __device__ void add(int row, int, std::int64_t index, float (&sums)[1][N]) const {
        const auto values = loadPack<N>(input + index);
        const auto gradients = loadPack<N>(outputGradient + index);
        const float factor = rstd[row];
#pragma unroll
        for (int i = 0; i < N; ++i) sums[0][i] += gradients[i] * (values[i] * factor);
    }
};

}  // namespace

void CudaDevice::rmsNorm(int rows, int columns, float epsilon, ConstArray input, ConstArray gamma, float* rstd,
                         Array output) {
    withTypes(input.type, gamma.type, [&](auto t, auto p) {
        using T = typename decltype(t)::Type;
        using P = typename decltype(p)::Type;
        withRows<T>(
            columns,
            [&](auto n, auto held) {
                launch("rmsNorm", rmsNormKernel<n(), held(), T, P>, rowBlocks(rows), rowsOfBlock * warpSize_, *queue_,
                       rows, columns, epsilon, as<T>(input), as<P>(gamma), rstd, as<T>(output));
            },
            input.data, gamma.data, output.data);
    });
}

void CudaDevice::rmsNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* rstd,
                                  ConstArray outputGradient, ConstArray residualGradient, Array inputGradient) {
    withTypes(input.type, gamma.type, [&](auto t, auto p) {
        using T = typename decltype(t)::Type;
        using P = typename decltype(p)::Type;
        withRows<T>(
            columns,
            [&](auto n, auto held) {
                launch("rmsNormInputGrad", rmsNormInputGradKernel<n(), held(), T, P>, rowBlocks(rows),
                       rowsOfBlock * warpSize_, *queue_, rows, columns, as<T>(input), as<P>(gamma), rstd,
                       as<T>(outputGradient), as<T>(residualGradient), as<T>(inputGradient));
            },
            input.data, gamma.data, outputGradient.data, residualGradient.data, inputGradient.data);
    });
}

void CudaDevice::rmsNormWeightGrad(int rows, int columns, ConstArray input, const float* rstd,
                                   ConstArray outputGradient, Array gammaGradient) {
    withTypes(input.type, gammaGradient.type, [&](auto t, auto g) {
        using T = typename decltype(t)::Type;
        using G = typename decltype(g)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                const ColumnSumsPlan plan(rows, columns, n(), properties_.multiProcessorCount);
                auto* partial = scratch<float>(plan.partials(1, columns));
                launchColumnSums<n(), 1, G>(rows, columns, plan,
                                            ScaleGradients<T>{as<T>(input), rstd, as<T>(outputGradient)}, partial,
                                            ColumnTargets<G, 1>{{as<G>(gammaGradient)}}, *queue_);
            },
            input.data, outputGradient.data);
    });
}

}  // namespace shardlab::kernels::cuda
