// SPDX-License-Identifier: Apache-2.0
#include "kernels/layer_norm.h"

#include "kernels/cuda/column_sums.cuh"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/lane_row.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <int N, int Held, class T, class P>
__global__ void __launch_bounds__(rowsOfBlock* warpSize_)
    layerNormKernel(int rows, int columns, float epsilon, const T* input, const P* gamma, const P* beta, float* mean,
                    float* rstd, T* output) {
    const int row = static_cast<int>(blockIdx.x) * rowsOfBlock + static_cast<int>(threadIdx.x) / warpSize_;
    if (row >= rows) return;
    using Row = LaneRow<T, N, Held>;
    const std::int64_t at = static_cast<std::int64_t>(row) * columns;
    const int groups = columns / N;
    const float share = 1.0f / static_cast<float>(columns);
    const Row x(input + at, groups);
    float sum = 0;
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
#pragma unroll
        for (int j = 0; j < N; ++j) sum += values[j];
    });
    const float centre = warpSum(sum) * share;
    float squares = 0;
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
#pragma unroll
        for (int j = 0; j < N; ++j) squares += (values[j] - centre) * (values[j] - centre);
    });
    const float factor = 1.0f / sqrtf(warpSum(squares) * share + epsilon);
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
        const auto scales = loadPack<N>(gamma + group * N);
        const auto shifts = loadPack<N>(beta + group * N);
        Pack<T, N> out;
#pragma unroll
        for (int j = 0; j < N; ++j) out.set(j, (values[j] - centre) * factor * scales[j] + shifts[j]);
        storePack(output + at + group * N, out);
    });
    if (threadIdx.x % warpSize_ == 0) {
        mean[row] = centre;
        rstd[row] = factor;
    }
}

// With n = (x − mean)·rstd and g = dy·gamma: dx = rstd·(g − mean(g) − n·mean(g·n)).
template <int N, int Held, class T, class P>
__global__ void __launch_bounds__(rowsOfBlock* warpSize_)
    layerNormInputGradKernel(int rows, int columns, const T* input, const P* gamma, const float* mean,
                             const float* rstd, const T* outputGradient, const T* residualGradient, T* inputGradient) {
    const int row = static_cast<int>(blockIdx.x) * rowsOfBlock + static_cast<int>(threadIdx.x) / warpSize_;
    if (row >= rows) return;
    using Row = LaneRow<T, N, Held>;
    const std::int64_t at = static_cast<std::int64_t>(row) * columns;
    const int groups = columns / N;
    const float share = 1.0f / static_cast<float>(columns);
    const Row x(input + at, groups);
    const Row dy(outputGradient + at, groups);
    const float centre = mean[row];
    const float factor = rstd[row];
    float sum = 0;
    float product = 0;
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
        const auto gradients = dy.pack(i, group);
        const auto scales = loadPack<N>(gamma + group * N);
#pragma unroll
        for (int j = 0; j < N; ++j) {
            const float g = gradients[j] * scales[j];
            sum += g;
            product += g * ((values[j] - centre) * factor);
        }
    });
    sum = warpSum(sum) * share;
    product = warpSum(product) * share;
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
        const auto gradients = dy.pack(i, group);
        const auto scales = loadPack<N>(gamma + group * N);
        float result[N];
#pragma unroll
        for (int j = 0; j < N; ++j)
            result[j] = factor * (gradients[j] * scales[j] - sum - (values[j] - centre) * factor * product);
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
struct NormGradients {
    const T* input;
    const float* mean;
    const float* rstd;
    const T* outputGradient;

    template <int N>
    __device__ void add(int row, int, std::int64_t index, float (&sums)[2][N]) const {
        const auto values = loadPack<N>(input + index);
        const auto gradients = loadPack<N>(outputGradient + index);
        const float centre = mean[row];
        const float factor = rstd[row];
#pragma unroll
        for (int i = 0; i < N; ++i) {
            sums[0][i] += gradients[i] * ((values[i] - centre) * factor);
            sums[1][i] += gradients[i];
        }
    }
};

}  // namespace

void CudaDevice::layerNorm(int rows, int columns, float epsilon, ConstArray input, ConstArray gamma, ConstArray beta,
                           float* mean, float* rstd, Array output) {
    withTypes(input.type, gamma.type, [&](auto t, auto p) {
        using T = typename decltype(t)::Type;
        using P = typename decltype(p)::Type;
        withRows<T>(
            columns,
            [&](auto n, auto held) {
                launch("layerNorm", layerNormKernel<n(), held(), T, P>, rowBlocks(rows), rowsOfBlock * warpSize_,
                       *queue_, rows, columns, epsilon, as<T>(input), as<P>(gamma), as<P>(beta), mean, rstd,
                       as<T>(output));
            },
            input.data, gamma.data, beta.data, output.data);
    });
}

void CudaDevice::layerNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* mean,
                                    const float* rstd, ConstArray outputGradient, ConstArray residualGradient,
                                    Array inputGradient) {
    withTypes(input.type, gamma.type, [&](auto t, auto p) {
        using T = typename decltype(t)::Type;
        using P = typename decltype(p)::Type;
        withRows<T>(
            columns,
            [&](auto n, auto held) {
                launch("layerNormInputGrad", layerNormInputGradKernel<n(), held(), T, P>, rowBlocks(rows),
                       rowsOfBlock * warpSize_, *queue_, rows, columns, as<T>(input), as<P>(gamma), mean, rstd,
                       as<T>(outputGradient), as<T>(residualGradient), as<T>(inputGradient));
            },
            input.data, gamma.data, outputGradient.data, residualGradient.data, inputGradient.data);
    });
}

void CudaDevice::layerNormWeightGrad(int rows, int columns, ConstArray input, const float* mean, const float* rstd,
                                     ConstArray outputGradient, Array gammaGradient, Array betaGradient) {
    withTypes(input.type, gammaGradient.type, [&](auto t, auto g) {
        using T = typename decltype(t)::Type;
        using G = typename decltype(g)::Type;
        withPacks<T>(
            columns,
            [&](auto n) {
                const ColumnSumsPlan plan(rows, columns, n(), properties_.multiProcessorCount);
                auto* partial = scratch<float>(plan.partials(2, columns));
                launchColumnSums<n(), 2, G>(rows, columns, plan,
                                            NormGradients<T>{as<T>(input), mean, rstd, as<T>(outputGradient)}, partial,
                                            ColumnTargets<G, 2>{{as<G>(gammaGradient), as<G>(betaGradient)}}, *queue_);
            },
            input.data, outputGradient.data);
    });
}

}  // namespace shardlab::kernels::cuda
