// SPDX-License-Identifier: Apache-2.0
#include "kernels/layer_norm.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/norm_gradient.cuh"

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
        launchNormInputGrad<2, T, P>("layerNormInputGrad", rows, columns,
                                     {as<T>(input), as<P>(gamma), mean, rstd, as<T>(outputGradient),
                                      as<T>(residualGradient), as<T>(inputGradient)},
                                     *queue_);
    });
}

void CudaDevice::layerNormWeightGrad(int rows, int columns, ConstArray input, const float* mean, const float* rstd,
                                     ConstArray outputGradient, Array gammaGradient, Array betaGradient) {
    const auto plan = ColumnSumsPlan::ofWholeRows(rows, properties_.multiProcessorCount);
    withTypes(input.type, gammaGradient.type, [&](auto t, auto g) {
        using T = typename decltype(t)::Type;
        using G = typename decltype(g)::Type;
        launchNormWeightGrad<2, T, G>(rows, columns, plan, {as<T>(input), mean, rstd, as<T>(outputGradient)},
                                      scratch<float>(plan.partials(2, columns)),
                                      {{as<G>(gammaGradient), as<G>(betaGradient)}}, *queue_);
    });
}

void CudaDevice::layerNormGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* mean,
                               const float* rstd, ConstArray outputGradient, ConstArray residualGradient,
                               Array inputGradient, Array gammaGradient, Array betaGradient) {
    const auto plan = ColumnSumsPlan::ofWholeRows(rows, properties_.multiProcessorCount);
    withTypes(input.type, gamma.type, [&](auto t, auto p) {
        withTypes(input.type, gammaGradient.type, [&](auto, auto g) {
            using T = typename decltype(t)::Type;
            using P = typename decltype(p)::Type;
            using G = typename decltype(g)::Type;
            launchNormGrad<2, T, P, G>("layerNormGrad", "layerNormInputGrad", rows, columns, plan,
                                       {as<T>(input), as<P>(gamma), mean, rstd, as<T>(outputGradient),
                                        as<T>(residualGradient), as<T>(inputGradient)},
                                       scratch<float>(plan.partials(2, columns)),
                                       {{as<G>(gammaGradient), as<G>(betaGradient)}}, *queue_);
        });
    });
}

}  // namespace shardlab::kernels::cuda
