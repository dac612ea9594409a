// SPDX-License-Identifier: Apache-2.0
#include "kernels/rms_norm.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/norm_gradient.cuh"

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
        launchNormInputGrad<1, T, P>("rmsNormInputGrad", rows, columns,
                                     {as<T>(input), as<P>(gamma), nullptr, rstd, as<T>(outputGradient),
                                      as<T>(residualGradient), as<T>(inputGradient)},
                                     *queue_);
    });
}

void CudaDevice::rmsNormWeightGrad(int rows, int columns, ConstArray input, const float* rstd,
                                   ConstArray outputGradient, Array gammaGradient) {
    const auto plan = ColumnSumsPlan::ofWholeRows(rows, properties_.multiProcessorCount);
    withTypes(input.type, gammaGradient.type, [&](auto t, auto g) {
        using T = typename decltype(t)::Type;
        using G = typename decltype(g)::Type;
        launchNormWeightGrad<1, T, G>(rows, columns, plan, {as<T>(input), nullptr, rstd, as<T>(outputGradient)},
                                      scratch<float>(plan.partials(1, columns)), {{as<G>(gammaGradient)}}, *queue_);
    });
}

void CudaDevice::rmsNormGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* rstd,
                             ConstArray outputGradient, ConstArray residualGradient, Array inputGradient,
                             Array gammaGradient) {
    const auto plan = ColumnSumsPlan::ofWholeRows(rows, properties_.multiProcessorCount);
    withTypes(input.type, gamma.type, [&](auto t, auto p) {
        withTypes(input.type, gammaGradient.type, [&](auto, auto g) {
            using T = typename decltype(t)::Type;
            using P = typename decltype(p)::Type;
            using G = typename decltype(g)::Type;
            launchNormGrad<1, T, P, G>("rmsNormGrad", "rmsNormInputGrad", rows, columns, plan,
                                       {as<T>(input), as<P>(gamma), nullptr, rstd, as<T>(outputGradient),
                                        as<T>(residualGradient), as<T>(inputGradient)},
                                       scratch<float>(plan.partials(1, columns)), {{as<G>(gammaGradient)}}, *queue_);
        });
    });
}

}  // namespace shardlab::kernels::cuda
