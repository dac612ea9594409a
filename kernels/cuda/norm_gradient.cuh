// SPDX-License-Identifier: Apache-2.0
// The gradients of layer norm, and of RMSNorm, which has no mean and no beta. For layer norm n = (x − mean)·rstd,
// g = dy·gamma, dx = rstd·(g − mean(g) − n·mean(g·n)), dGamma = Σ dy·n and dBeta = Σ dy. For RMSNorm n = x·rstd, and
// mean(g) and dBeta are left out.
#pragma once

#include "kernels/cuda/column_sums.cuh"
#include "kernels/cuda/lane_row.cuh"

namespace shardlab::kernels::cuda {

/// Matrices are [rows, columns]. K = 2: layer norm; 1: RMSNorm, whose `mean` is not read. K is the number of weights.
template <int K, class T, class P>
struct NormGradient {
    const T* input;
    const P* gamma;
    const float* mean;
    const float* rstd;
    const T* outputGradient;
    const T* residualGradient;  ///< null: none
    T* inputGradient;           ///< may be outputGradient
};

/// n, from which both kinds of sums are made.
template <int K>
__device__ float normed(float value, float centre, float factor) {
    return K == 2 ? (value - centre) * factor : value * factor;
}

/// Writes a warp's row of the input's gradient; calls each(pack of the lane, place in the pack, dy, n).
template <int N, int Held, bool keeps, int K, class T, class P, class Each>
__device__ __forceinline__ void normGradientRow(int row, int columns, const NormGradient<K, T, P>& a, Each&& each) {
    using Row = LaneRow<T, N, Held, keeps>;
    const std::int64_t at = static_cast<std::int64_t>(row) * columns;
    const int groups = columns / N;
    const float share = 1.0f / static_cast<float>(columns);
    const Row x(a.input + at, groups);
    const Row dy(a.outputGradient + at, groups);
    const float centre = K == 2 ? a.mean[row] : 0.0f;
    const float factor = a.rstd[row];
    float sum = 0;
    float product = 0;
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
        const auto gradients = dy.pack(i, group);
        const auto scales = loadPack<N>(a.gamma + group * N);
#pragma unroll
        for (int j = 0; j < N; ++j) {
            const float g = gradients[j] * scales[j];
            if constexpr (K == 2) sum += g;
            product += g * normed<K>(values[j], centre, factor);
        }
    });
    if constexpr (K == 2) sum = warpSum(sum) * share;
    product = warpSum(product) * share;
    Row::each(groups, [&](int i, int group) {
        const auto values = x.pack(i, group);
        const auto gradients = dy.pack(i, group);
        const auto scales = loadPack<N>(a.gamma + group * N);
        float result[N];
#pragma unroll
        for (int j = 0; j < N; ++j) {
            const float n = normed<K>(values[j], centre, factor);
            each(i, j, gradients[j], n);
            result[j] = factor * (gradients[j] * scales[j] - sum - n * product);
        }
        if (a.residualGradient) {
            const auto around = loadPack<N>(a.residualGradient + at + group * N);
#pragma unroll
            for (int j = 0; j < N; ++j) result[j] += around[j];
        }
        Pack<T, N> out;
#pragma unroll
        for (int j = 0; j < N; ++j) out.set(j, result[j]);
        storePack(a.inputGradient + at + group * N, out);
    });
}

template <int N, int Held, int K, class T, class P>
__global__ void __launch_bounds__(rowsOfBlock* warpSize_)
    normInputGradKernel(int rows, int columns, NormGradient<K, T, P> norm) {
    const int row = static_cast<int>(blockIdx.x) * rowsOfBlock + static_cast<int>(threadIdx.x) / warpSize_;
    if (row < rows) normGradientRow<N, Held, (Held > 0)>(row, columns, norm, [](int, int, float, float) {});
}

/// How many sums a lane has in registers. Up to 32 leave room for its row beside them, which else comes out of the
/// cache again; up to 64 leave room for two blocks on a multiprocessor.
template <int N, int Held, int K>
constexpr int sumsOfLane = (N * Held * K);

/// Each block takes a chunk of rows, and leaves the sums over it for the weights in `partial`, to the bits of
/// partialColumnSumsKernel of NormSums.
template <int N, int Held, int K, class T, class P>
__global__ void __launch_bounds__(tileColumns* tileRows, sumsOfLane<N, Held, K> <= 64 ? 2 : 1)
    normGradKernel(int rows, int columns, int chunkRows, NormGradient<K, T, P> norm, float* partial) {
    const int chunk = static_cast<int>(blockIdx.x);
    const int begin = chunk * chunkRows;
    const int end = begin + chunkRows < rows ? begin + chunkRows : rows;
    float sums[Held][K][N] = {};
    const auto add = [&](int i, int j, float gradient, float n) {
        sums[i][0][j] += gradient * n;
        if constexpr (K == 2) sums[i][1][j] += gradient;
    };
    for (int row = begin + static_cast<int>(threadIdx.y); row < end; row += tileRows)
        normGradientRow<N, Held, (sumsOfLane<N, Held, K> <= 32)>(row, columns, norm, add);
#pragma unroll
    for (int i = 0; i < Held; ++i) {
        if (i * tileColumns * N >= columns) break;
        if (i > 0) __syncthreads();  // others may still read the parts of the packs before
        storePartialSums<N, K>(columns, i * tileColumns, chunk, sums[i], partial);
    }
}

/// The weights' gradients alone.
template <int K, class T>
struct NormSums {
    const T* input;
    const float* mean;
    const float* rstd;
    const T* outputGradient;

    template <int N>
    __device__ void add(int row, int, std::int64_t index, float (&sums)[K][N]) const {
        const auto values = loadPack<N>(input + index);
        const auto gradients = loadPack<N>(outputGradient + index);
        const float centre = K == 2 ? mean[row] : 0.0f;
        const float factor = rstd[row];
#pragma unroll
        for (int i = 0; i < N; ++i) {
            sums[0][i] += gradients[i] * normed<K>(values[i], centre, factor);
            if constexpr (K == 2) sums[1][i] += gradients[i];
        }
    }
};

template <int K, class T, class P>
void launchNormInputGrad(const char* name, int rows, int columns, const NormGradient<K, T, P>& norm,
                         LaunchQueue& queue) {
    withRows<T>(
        columns,
        [&](auto n, auto held) {
            launch(name, normInputGradKernel<n(), held(), K, T, P>, rowBlocks(rows), rowsOfBlock * warpSize_, queue,
                   rows, columns, norm);
        },
        norm.input, norm.gamma, norm.outputGradient, norm.residualGradient, static_cast<const T*>(norm.inputGradient));
}

/// The weights' gradients alone, to the bits of launchNormGrad(); partial: [plan.chunks, K, columns].
template <int K, class T, class G>
void launchNormWeightGrad(int rows, int columns, const ColumnSumsPlan& plan, const NormSums<K, T>& norm, float* partial,
                          const ColumnTargets<G, K>& weights, LaunchQueue& queue) {
    withPacks<T>(
        columns, [&](auto n) { launchColumnSums<n(), K, G>(rows, columns, plan, norm, partial, weights, queue); },
        norm.input, norm.outputGradient);
}

/// Both gradients: in one pass over memory, where a warp can hold its row and the sums in registers.
template <int K, class T, class P, class G>
void launchNormGrad(const char* both, const char* inputAlone, int rows, int columns, const ColumnSumsPlan& plan,
                    const NormGradient<K, T, P>& norm, float* partial, const ColumnTargets<G, K>& weights,
                    LaunchQueue& queue) {
    if (rows == 0 || columns == 0) return;
    withRows<T>(
        columns,
        [&](auto n, auto held) {
            if constexpr (held() > 0) {
                launch(both, normGradKernel<n(), held(), K, T, P>, static_cast<unsigned>(plan.chunks), tileThreads,
                       queue, rows, columns, plan.chunkRows, norm, partial);
                launchPartialSums<K, G>(columns, plan, partial, weights, queue);
            } else {  // the weights first: the input's gradient may take the place of the output's
                launchNormWeightGrad<K, T, G>(rows, columns, plan,
                                              {norm.input, norm.mean, norm.rstd, norm.outputGradient}, partial, weights,
                                              queue);
                launchNormInputGrad(inputAlone, rows, columns, norm, queue);
            }
        },
        norm.input, norm.gamma, norm.outputGradient, norm.residualGradient, static_cast<const T*>(norm.inputGradient));
}

}  // namespace shardlab::kernels::cuda
